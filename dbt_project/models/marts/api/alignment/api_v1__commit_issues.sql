with facts as (
    select * from {{ ref('fct_commit_issues') }}
),

-- Commits name issues and objectives alike.
items as (
    {{- linked_items() }}
),

objectives as (
    select
        objective_id,
        title
    from {{ ref('dim_objectives') }}
)

select
    facts.commit_id,
    facts.commit_sha,
    facts.repository_id,
    facts.developer_id,
    facts.team_id,
    facts.delivered_at,
    facts.delivered_on,
    facts.is_bot,
    facts.is_sandbox,
    facts.is_counted,
    facts.item_id,
    items.key as item_key,
    items.title as item_title,
    items.type_name as item_type_name,
    items.status_category as item_status_category,
    items.url as item_url,
    facts.level,
    facts.found_in,
    facts.place,
    facts.issue_count,
    facts.sub_objective_id,
    sub_objectives.title as sub_objective_title,
    facts.objective_id,
    objectives.title as objective_title,
    facts.etv_micro,
    facts.ai_cost_nano,
    facts.ai_cost_confidence_micro,
    '{{ var("calculation_version") }}' as calculation_version
from facts
inner join items on facts.item_id = items.item_id
left join objectives as sub_objectives on facts.sub_objective_id = sub_objectives.objective_id
left join objectives on facts.objective_id = objectives.objective_id
