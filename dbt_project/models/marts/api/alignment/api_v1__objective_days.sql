with facts as (
    select * from {{ ref('fct_objective_days') }}
)

select
    objective_id,
    delivered_on,
    repository_id,
    developer_id,
    team_id,
    is_bot,
    is_sandbox,
    etv_micro,
    commits
from facts
