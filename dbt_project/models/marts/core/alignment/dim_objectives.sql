with items as (
    select * from {{ ref('int_alignment__items') }}
),

goals as (
    select * from items
    where level in ('objective', 'sub_objective')
),

ancestors as (
    select * from {{ ref('int_alignment__ancestors') }}
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
    from goals
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
    inner join items on ancestors.item_id = items.item_id
    where items.level = 'issue' and ancestors.distance > 0
    group by ancestors.ancestor_id
),

-- Several issues of a commit may reach an objective: each brings its share.
links as (
    select
        ancestors.ancestor_id as objective_id,
        found.ai_cost_nano as cost_nano,
        found.ai_cost_confidence_micro as confidence_micro
    from {{ ref('fct_commit_issues') }} as found
    inner join ancestors on found.item_id = ancestors.item_id
    where found.is_counted and not found.is_sandbox
),

costs as (
    select
        objective_id,
        {{ summed_cost('links') }}
    from links
    group by objective_id
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
    goals.item_id as objective_id,
    goals.level,
    goals.goal_parent_id as parent_id,
    cast(coalesce(depths.depth, 0) as integer) as depth,
    goals.connection_id,
    goals.connection_name,
    goals.connection_kind,
    goals.key,
    goals.type_name,
    goals.title,
    goals.status,
    goals.status_category,
    coalesce(
        goals.status_category not in ('done', 'canceled') and goals.target_on < organization.local_date, false
    ) as is_overdue,
    goals.start_on,
    goals.target_on,
    goals.created_at,
    goals.completed_at,
    goals.assignee as owner,
    goals.assignee_name as owner_name,
    goals.team_key as tracker_team_key,
    goals.team_name as tracker_team_name,
    goals.team_id,
    goals.url,
    cast(coalesce(children.children, 0) as bigint) as child_count,
    cast(coalesce(below.issues, 0) as bigint) as issue_count,
    cast(coalesce(below.done_issues, 0) as bigint) as done_issue_count,
    cast(coalesce(below.canceled_issues, 0) as bigint) as canceled_issue_count,
    cast(coalesce(totals.etv_micro, 0) as bigint) as etv_micro,
    {{ cost_micro('costs.cost_nano') }} as ai_cost_micro,
    costs.confidence_micro as ai_cost_confidence_micro,
    cast(coalesce(totals.commits, 0) as bigint) as commits,
    cast(coalesce(totals.contributors, 0) as bigint) as contributor_count,
    totals.first_delivered_on,
    totals.last_delivered_on
from goals
cross join organization
left join depths on goals.item_id = depths.item_id
left join children on goals.item_id = children.objective_id
left join below on goals.item_id = below.objective_id
left join totals on goals.item_id = totals.objective_id
left join costs on goals.item_id = costs.objective_id
