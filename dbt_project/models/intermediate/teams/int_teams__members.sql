-- Who was in which team from when to when, one team at a time: where people who turned out to be one were in two teams,
-- the later membership holds.

with memberships as (
    select * from {{ ref('stg_control__team_memberships') }}
),

-- A membership names a developer by the id that they had then, who may be a part of another since.
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

followed as (
    select
        *,
        lead(start_on) over (partition by developer_id order by start_on, end_on, team_id) as next_start_on
    from named
)

select
    developer_id,
    team_id,
    start_on,
    case
        when next_start_on <= end_on then {{ plus_days('next_start_on', -1) }}
        else end_on
    end as end_on
from followed
-- Two that began on one day: the last of them.
where next_start_on is null or next_start_on > start_on
