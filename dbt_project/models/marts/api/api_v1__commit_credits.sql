with credits as (
    select * from {{ ref('fct_commit_credits') }}
)

select
    commit_id,
    developer_id,
    min(role) as role,
    min(share_micro) as share_micro,
    cast(sum(etv_micro) as bigint) as etv_micro,
    cast(sum(effort_micro) as bigint) as effort_micro
from credits
group by commit_id, developer_id
