-- Spend of known people by scope and period, and how many of those who delivered used a tool. Usage has no repository.

with days as (
    {{ days_of_summaries() }}
),

usage as (
    select
        *,
        cast(null as {{ dbt.type_string() }}) as repository_id,
        false as is_sandbox
    from {{ ref('fct_ai_days') }}
    where not is_bot
),

scoped as (
    {{ rows_of_scopes('usage', ['used_on', 'developer_id', 'usage_cost_nano', 'usage_days']) }}
),

used as (
    select
        scoped.scope_kind,
        scoped.scope_id,
        days.period,
        days.number,
        scoped.developer_id,
        {{ capped_sum('scoped.usage_cost_nano') }} as cost_nano,
        max(scoped.usage_days) > 0 as is_user
    from scoped
    inner join days on scoped.used_on = days.day
    where scoped.scope_id is not null
    group by scoped.scope_kind, scoped.scope_id, days.period, days.number, scoped.developer_id
),

delivered as (
    select distinct
        'ORGANIZATION' as scope_kind,
        '{{ var("organization_id") }}' as scope_id,
        days.period,
        days.number,
        work.developer_id
    from {{ ref('fct_daily') }} as work
    inner join days on work.delivered_on = days.day
    where not work.is_bot and not work.is_sandbox
    union all
    select distinct
        'TEAM' as scope_kind,
        work.team_id as scope_id,
        days.period,
        days.number,
        work.developer_id
    from {{ ref('fct_team_daily') }} as work
    inner join days on work.delivered_on = days.day
    where not work.is_bot and not work.is_sandbox
)

select
    used.scope_kind,
    used.scope_id,
    used.period,
    used.number,
    {{ cost_micro(capped_sum('used.cost_nano')) }} as ai_spend_micro,
    cast(count(*) as integer) as ai_people,
    cast(count(case when used.is_user and delivered.developer_id is not null then 1 end) as integer) as ai_users
from used
left join delivered
    on
        used.scope_kind = delivered.scope_kind
        and used.scope_id = delivered.scope_id
        and used.period = delivered.period
        and used.number = delivered.number
        and used.developer_id = delivered.developer_id
group by used.scope_kind, used.scope_id, used.period, used.number
