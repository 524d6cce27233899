with items as (
    select * from {{ ref('stg_trackers__items') }}
),

places as (
    select * from {{ ref('int_alignment__items') }}
    where level = 'issue'
),

connections as (
    select * from {{ ref('stg_control__connections') }}
),

teams as (
    select
        connection_id,
        team_key,
        min(team_id) as team_id
    from {{ ref('stg_control__tracker_teams') }}
    group by connection_id, team_key
),

totals as (
    select
        item_id,
        sum(etv_micro) as etv_micro,
        count(*) as commits,
        min(delivered_on) as first_delivered_on,
        max(delivered_on) as last_delivered_on
    from {{ ref('fct_commit_issues') }}
    where is_counted and not is_sandbox
    group by item_id
)

select
    items.item_id as issue_id,
    items.connection_id,
    connections.name as connection_name,
    connections.kind as connection_kind,
    items.key,
    items.repository_id,
    cast(items.number as bigint) as number,
    items.type_name,
    places.is_bug,
    items.title,
    items.status,
    items.status_category,
    items.resolution,
    places.parent_id,
    places.sub_objective_id,
    places.objective_id,
    items.team_key as tracker_team_key,
    items.team_name as tracker_team_name,
    teams.team_id,
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
    items.url,
    cast(coalesce(totals.etv_micro, 0) as bigint) as etv_micro,
    cast(coalesce(totals.commits, 0) as bigint) as commits,
    totals.first_delivered_on,
    totals.last_delivered_on
from places
inner join items on places.item_id = items.item_id
left join connections on items.connection_id = connections.connection_id
left join teams on items.connection_id = teams.connection_id and items.team_key = teams.team_key
left join totals on places.item_id = totals.item_id
