with evidence as (
    select * from {{ ref('fct_capex_evidence') }}
)

select
    month,
    developer_id,
    repository_id,
    category,
    commit_category,
    policy_version,
    issue_types,
    objective_ids,
    is_capitalizable,
    effort_micro,
    etv_micro,
    commits
from evidence
