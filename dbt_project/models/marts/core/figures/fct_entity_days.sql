-- Running totals, so that any range of days is a difference of two rows.

with employment as (
    select * from {{ ref('fct_employment') }}
),

daily as (
    select * from {{ ref('fct_daily') }}
    where not is_bot
),

changes as (
    select
        entity_kind,
        entity_id,
        first_on as day,
        1 as change,
        0 as etv_micro
    from employment
    union all
    select
        entity_kind,
        entity_id,
        {{ plus_days('last_on', 1) }} as day,
        -1 as change,
        0 as etv_micro
    from employment
    union all
    select
        'repository' as entity_kind,
        repository_id as entity_id,
        delivered_on as day,
        0 as change,
        etv_micro
    from daily
    union all
    select
        'developer' as entity_kind,
        developer_id as entity_id,
        delivered_on as day,
        0 as change,
        etv_micro
    from daily
    where not is_sandbox
    union all
    select
        'team' as entity_kind,
        ancestors.ancestor_id as entity_id,
        daily.delivered_on as day,
        0 as change,
        daily.etv_micro
    from daily
    inner join {{ ref('int_teams__ancestors') }} as ancestors on daily.team_id = ancestors.team_id
    where not daily.is_sandbox
    union all
    select
        'organization' as entity_kind,
        '{{ var("organization_id") }}' as entity_id,
        delivered_on as day,
        0 as change,
        etv_micro
    from daily
    where not is_sandbox
),

by_day as (
    select
        entity_kind,
        entity_id,
        day,
        sum(change) as change,
        sum(etv_micro) as etv_micro
    from changes
    group by entity_kind, entity_id, day
),

counted as (
    select
        *,
        sum(change) over (partition by entity_kind, entity_id order by day) as employed,
        sum(etv_micro) over (partition by entity_kind, entity_id order by day) as etv_until,
        lead(day) over (partition by entity_kind, entity_id order by day) as next_day
    from by_day
),

spans as (
    select
        *,
        employed * coalesce({{ days_between('day', 'next_day') }}, 0) as days_here
    from counted
)

select
    entity_kind,
    entity_id,
    day,
    next_day,
    cast(employed as bigint) as employed,
    cast(etv_until as bigint) as etv_until_micro,
    cast(
        coalesce(sum(days_here) over (
            partition by entity_kind, entity_id order by day rows between unbounded preceding and 1 preceding
        ), 0) as bigint
    ) as developer_days_before
from spans
