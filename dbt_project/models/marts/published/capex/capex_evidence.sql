select * from {{ ref('api_v1__capex_evidence') }}
order by
    month, developer_id, repository_id, category, commit_category, issue_types, objective_ids, is_capitalizable
