with costs as (
    select * from {{ ref('fct_ai_costs') }}
    where commit_id is not null and cost_currency = '{{ var("ai_cost_currency") }}'
),

commits as (
    select
        commit_id,
        commit_sha
    from {{ ref('int_commits') }}
)

select
    costs.commit_id,
    commits.commit_sha,
    {{ summed_cost('costs') }}
from costs
inner join commits on costs.commit_id = commits.commit_id
group by costs.commit_id, commits.commit_sha
