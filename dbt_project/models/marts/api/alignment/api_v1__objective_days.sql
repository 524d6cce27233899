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
    cast(sum(etv_micro) as bigint) as etv_micro,
    cast(sum(commits) as bigint) as commits
from facts
group by objective_id, delivered_on, repository_id, developer_id, team_id, is_bot, is_sandbox
