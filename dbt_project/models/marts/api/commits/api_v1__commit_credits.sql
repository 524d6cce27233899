with credits as (
    select * from {{ ref('fct_commit_credits') }}
),

authors as (
    select * from {{ ref('int_teams__authors') }}
),

summed as (
    select
        commit_id,
        commit_sha,
        developer_id,
        min(role) as role,
        min(share_micro) as share_micro,
        cast(sum(etv_micro) as bigint) as etv_micro,
        cast(sum(effort_micro) as bigint) as effort_micro
    from credits
    group by commit_id, commit_sha, developer_id
)

select
    summed.commit_id,
    summed.developer_id,
    authors.team_id,
    summed.role,
    summed.share_micro,
    summed.etv_micro,
    summed.effort_micro
from summed
left join authors on summed.commit_sha = authors.commit_sha and summed.developer_id = authors.developer_id
