with days as (
    select * from {{ ref('fct_zero_reason_days') }}
)

select
    delivered_on,
    repository_id,
    team_id,
    developer_id,
    is_bot,
    is_sandbox,
    zero_reason,
    commits,
    files,
    lines_added
from days
