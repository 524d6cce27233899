with ancestors as (
    select * from {{ ref('int_alignment__ancestors') }}
),

items as (
    select * from {{ ref('stg_trackers__items') }}
),

connections as (
    select * from {{ ref('stg_control__connections') }}
),

-- A team of the tracker has one owner. If two were stored, the same one counts in every build.
teams as (
    select
        connection_id,
        team_key,
        min(team_id) as team_id
    from {{ ref('stg_control__tracker_teams') }}
    group by connection_id, team_key
),

-- Where a tracker has no types, labels say what an issue is.
named as (
    select
        item_id,
        status_category,
        lower(coalesce(resolution, '')) as resolution,
        lower(concat(',', coalesce(type_name, {{ joined_text('labels', "','") }}, ''), ',')) as types
    from items
),

bugs as (
    select
        item_id,
        {{ matches('types', pattern_text(var('bug_type_pattern'))) }} as is_bug,
        status_category = 'done'
        and not {{ matches('resolution', pattern_text(var('unfixed_resolution_pattern'))) }} as is_resolved
    from named
),

nearest as (
    select
        item_id,
        max(case when distance = 0 then ancestor_level end) as level,
        min_by(ancestor_id, case when ancestor_level <> 'ignored' then distance end) as counted_item_id,
        min_by(ancestor_id, case when ancestor_level = 'objective' then distance end) as objective_id,
        min(case when ancestor_level = 'objective' then distance end) as objective_distance,
        min_by(ancestor_id, case when ancestor_level = 'sub_objective' then distance end) as sub_objective_id,
        min(case when ancestor_level = 'sub_objective' then distance end) as sub_objective_distance,
        min_by(ancestor_id, case when distance > 0 and ancestor_level <> 'ignored' then distance end) as parent_id,
        min_by(
            ancestor_id, case when distance > 0 and ancestor_level in ('objective', 'sub_objective') then distance end
        ) as goal_parent_id
    from ancestors
    group by item_id
)

select
    nearest.item_id,
    nearest.level,
    nearest.counted_item_id,
    nearest.parent_id,
    nearest.goal_parent_id,
    -- A sub-objective is below its objective.
    case
        when nearest.objective_distance is null or nearest.sub_objective_distance < nearest.objective_distance
            then nearest.sub_objective_id
    end as sub_objective_id,
    nearest.objective_id,
    bugs.is_bug,
    bugs.is_bug and bugs.is_resolved as is_resolved_bug,
    connections.name as connection_name,
    connections.kind as connection_kind,
    teams.team_id,
    items.connection_id,
    items.key,
    items.repository_id,
    items.number,
    items.type_name,
    items.title,
    items.status,
    items.status_category,
    items.resolution,
    items.team_key,
    items.team_name,
    items.assignee,
    items.assignee_name,
    items.creator,
    items.created_at,
    items.updated_at,
    items.started_at,
    items.completed_at,
    items.start_on,
    items.target_on,
    items.estimate,
    items.labels,
    items.history,
    items.url
from nearest
inner join items on nearest.item_id = items.item_id
inner join bugs on nearest.item_id = bugs.item_id
left join connections on items.connection_id = connections.connection_id
left join teams on items.connection_id = teams.connection_id and items.team_key = teams.team_key
