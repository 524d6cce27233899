with parts as (
    select * from {{ ref('fct_zero_reason_commits') }}
)

select
    delivered_on,
    repository_id,
    team_id,
    developer_id,
    is_bot,
    is_sandbox,
    zero_reason,
    cast(sum(commits) as bigint) as commits,
    cast(sum(files) as bigint) as files,
    cast(sum(lines_added) as bigint) as lines_added
from parts
group by delivered_on, repository_id, team_id, developer_id, is_bot, is_sandbox, zero_reason
