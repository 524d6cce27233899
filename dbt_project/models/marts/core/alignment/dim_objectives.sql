with items as (
    select * from {{ ref('stg_trackers__items') }}
),

places as (
    select * from {{ ref('int_alignment__items') }}
    where level in ('objective', 'sub_objective')
),

ancestors as (
    select * from {{ ref('int_alignment__ancestors') }}
),

connections as (
    select * from {{ ref('stg_control__connections') }}
),

-- A team of the tracker has one owner. If two were stored, the first one counts in every build.
teams as (
    select
        connection_id,
        team_key,
        min(team_id) as team_id
    from {{ ref('stg_control__tracker_teams') }}
    group by connection_id, team_key
),

days as (
    select * from {{ ref('fct_objective_days') }}
    where not is_bot and not is_sandbox
),

organization as (
    select * from {{ ref('int_organization') }}
),

depths as (
    select
        item_id,
        count(*) as depth
    from ancestors
    where distance > 0 and ancestor_level in ('objective', 'sub_objective')
    group by item_id
),

children as (
    select
        goal_parent_id as objective_id,
        count(*) as children
    from places
    where goal_parent_id is not null
    group by goal_parent_id
),

below as (
    select
        ancestors.ancestor_id as objective_id,
        count(*) as issues,
        count(case when items.status_category = 'done' then 1 end) as done_issues,
        count(case when items.status_category = 'canceled' then 1 end) as canceled_issues
    from ancestors
    inner join {{ ref('int_alignment__items') }} as leveled on ancestors.item_id = leveled.item_id
    inner join items on ancestors.item_id = items.item_id
    where leveled.level = 'issue' and ancestors.distance > 0
    group by ancestors.ancestor_id
),

totals as (
    select
        objective_id,
        sum(etv_micro) as etv_micro,
        sum(commits) as commits,
        count(distinct developer_id) as contributors,
        min(delivered_on) as first_delivered_on,
        max(delivered_on) as last_delivered_on
    from days
    group by objective_id
)

select
    items.item_id as objective_id,
    places.level,
    places.goal_parent_id as parent_id,
    cast(coalesce(depths.depth, 0) as integer) as depth,
    items.connection_id,
    connections.name as connection_name,
    connections.kind as connection_kind,
    items.key,
    items.type_name,
    items.title,
    items.status,
    items.status_category,
    coalesce(
        items.status_category not in ('done', 'canceled') and items.target_on < organization.local_date, false
    ) as is_overdue,
    items.start_on,
    items.target_on,
    items.created_at,
    items.completed_at,
    items.assignee as owner,
    items.assignee_name as owner_name,
    items.team_key as tracker_team_key,
    items.team_name as tracker_team_name,
    teams.team_id,
    items.url,
    cast(coalesce(children.children, 0) as bigint) as child_count,
    cast(coalesce(below.issues, 0) as bigint) as issue_count,
    cast(coalesce(below.done_issues, 0) as bigint) as done_issue_count,
    cast(coalesce(below.canceled_issues, 0) as bigint) as canceled_issue_count,
    cast(coalesce(totals.etv_micro, 0) as bigint) as etv_micro,
    cast(coalesce(totals.commits, 0) as bigint) as commits,
    cast(coalesce(totals.contributors, 0) as bigint) as contributor_count,
    totals.first_delivered_on,
    totals.last_delivered_on
from places
cross join organization
inner join items on places.item_id = items.item_id
left join depths on places.item_id = depths.item_id
left join connections on items.connection_id = connections.connection_id
left join teams on items.connection_id = teams.connection_id and items.team_key = teams.team_key
left join children on places.item_id = children.objective_id
left join below on places.item_id = below.objective_id
left join totals on places.item_id = totals.objective_id
