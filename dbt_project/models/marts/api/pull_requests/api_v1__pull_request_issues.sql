with facts as (
    select * from {{ ref('fct_pull_request_issues') }}
),

known as (
    select
        pull_request_id,
        team_id,
        developer_id
    from {{ ref('fct_pull_requests') }}
),

-- Pull requests name issues and objectives alike.
items as (
    {{- linked_items() }}
)

select
    facts.pull_request_id,
    known.team_id,
    known.developer_id,
    facts.item_id,
    facts.item_team_id,
    items.key as item_key,
    items.title as item_title,
    items.type_name as item_type_name,
    items.status_category as item_status_category,
    items.url as item_url,
    facts.level,
    facts.found_in,
    facts.sub_objective_id,
    facts.objective_id
from facts
inner join known on facts.pull_request_id = known.pull_request_id
inner join items on facts.item_id = items.item_id
