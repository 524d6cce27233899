select
    commit_id,
    position,
    team_id,
    developer_id
from {{ ref('commits_by_time') }}
order by commit_id
