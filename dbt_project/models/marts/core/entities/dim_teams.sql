with ancestors as (
    select * from {{ ref('int_teams__ancestors') }}
),

teams as (
    select
        team_id,
        parent_id,
        team_name as name
    from ancestors
    where distance = 0
),

members as (
    select * from {{ ref('int_teams__members') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

present as (
    select
        ancestors.ancestor_id as team_id,
        count(*) as members,
        count(case when ancestors.distance = 0 then 1 end) as own_members
    from members
    cross join organization
    inner join ancestors on members.team_id = ancestors.team_id
    where organization.local_date >= members.start_on and organization.local_date <= members.end_on
    group by ancestors.ancestor_id
),

depths as (
    select
        team_id,
        max(distance) as depth
    from ancestors
    group by team_id
),

below as (
    select
        ancestor_id as team_id,
        count(*) - 1 as sub_teams
    from ancestors
    group by ancestor_id
)

select
    teams.team_id,
    teams.parent_id,
    teams.name,
    cast(depths.depth as integer) as depth,
    cast(below.sub_teams as bigint) as sub_team_count,
    cast(coalesce(present.members, 0) as bigint) as developer_count,
    cast(coalesce(present.own_members, 0) as bigint) as own_developer_count
from teams
inner join depths on teams.team_id = depths.team_id
inner join below on teams.team_id = below.team_id
left join present on teams.team_id = present.team_id
