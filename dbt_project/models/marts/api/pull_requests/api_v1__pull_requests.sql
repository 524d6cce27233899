with facts as (
    select * from {{ ref('fct_pull_requests') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

developers as (
    select * from {{ ref('dim_developers') }}
),

costs as (
    select
        links.pull_request_id,
        {{ summed_cost('spent') }}
    from {{ ref('int_pull_requests__commits') }} as links
    inner join {{ ref('fct_ai_commit_costs') }} as spent on links.commit_sha = spent.commit_sha
    group by links.pull_request_id
)

select
    facts.*,
    {{ cost_micro('costs.cost_nano') }} as ai_cost_micro,
    costs.confidence_micro as ai_cost_confidence_micro,
    repositories.name as repository_name,
    developers.name as developer_name,
    '{{ var("calculation_version") }}' as calculation_version
from facts
inner join repositories on facts.repository_id = repositories.repository_id
left join developers on facts.developer_id = developers.developer_id
left join costs on facts.pull_request_id = costs.pull_request_id
