with items as (
    select * from {{ ref('int_alignment__items') }}
    where level = 'issue'
),

links as (
    select
        item_id,
        delivered_on,
        etv_micro,
        ai_cost_nano as cost_nano,
        ai_cost_confidence_micro as confidence_micro
    from {{ ref('fct_commit_issues') }}
    where is_counted and not is_sandbox
),

totals as (
    select
        item_id,
        sum(etv_micro) as etv_micro,
        count(*) as commits,
        min(delivered_on) as first_delivered_on,
        max(delivered_on) as last_delivered_on,
        {{ summed_cost('links') }}
    from links
    group by item_id
)

select
    items.item_id as issue_id,
    items.connection_id,
    items.connection_name,
    items.connection_kind,
    items.key,
    items.repository_id,
    cast(items.number as bigint) as number,
    items.type_name,
    items.is_bug,
    items.title,
    items.status,
    items.status_category,
    items.resolution,
    items.parent_id,
    items.sub_objective_id,
    items.objective_id,
    items.team_key as tracker_team_key,
    items.team_name as tracker_team_name,
    items.team_id,
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
    items.url,
    cast(coalesce(totals.etv_micro, 0) as bigint) as etv_micro,
    {{ cost_micro('totals.cost_nano') }} as ai_cost_micro,
    totals.confidence_micro as ai_cost_confidence_micro,
    cast(coalesce(totals.commits, 0) as bigint) as commits,
    totals.first_delivered_on,
    totals.last_delivered_on
from items
left join totals on items.item_id = totals.item_id
