-- The team of each developer from day to day, one at a time. If merged developers were in two teams, the membership
-- that began last applies, and the earlier one continues after it.

with memberships as (
    select * from {{ ref('stg_control__team_memberships') }}
),

-- A membership has the developer's id at the time of the entry. Merges may have changed it.
developers as (
    select * from {{ ref('int_identity__known_ids') }}
),

named as (
    select
        developers.developer_id,
        memberships.team_id,
        memberships.start_on,
        coalesce(memberships.end_on, cast('9999-12-31' as date)) as end_on
    from memberships
    inner join developers on memberships.developer_id = developers.known_developer_id
),

-- The applicable membership changes on first days, and after last days.
changes as (
    select
        developer_id,
        start_on
    from named
    union distinct
    select
        developer_id,
        {{ plus_days('end_on', 1) }} as start_on
    from named
    where end_on < cast('9999-12-31' as date)
),

stretches as (
    select
        developer_id,
        start_on,
        coalesce(
            {{ plus_days('lead(start_on) over (partition by developer_id order by start_on)', -1) }},
            cast('9999-12-31' as date)
        ) as end_on
    from changes
),

-- If two began on one day, the one that lasts longer applies.
candidates as (
    select
        stretches.developer_id,
        named.team_id,
        stretches.start_on,
        stretches.end_on,
        row_number() over (
            partition by stretches.developer_id, stretches.start_on
            order by named.start_on desc, named.end_on desc, named.team_id desc
        ) as place
    from stretches
    inner join named
        on
            stretches.developer_id = named.developer_id
            and stretches.start_on between named.start_on and named.end_on
),

followed as (
    select
        developer_id,
        team_id,
        start_on,
        end_on,
        lag(end_on) over (partition by developer_id, team_id order by start_on) as previous_end_on
    from candidates
    where place = 1
),

numbered as (
    select
        *,
        sum(case when previous_end_on = {{ plus_days('start_on', -1) }} then 0 else 1 end)
            over (partition by developer_id, team_id order by start_on)
            as stretch
    from followed
)

select
    developer_id,
    team_id,
    min(start_on) as start_on,
    max(end_on) as end_on
from numbered
group by developer_id, team_id, stretch
