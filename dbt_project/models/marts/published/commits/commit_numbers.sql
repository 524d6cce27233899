select
    commit_id,
    position,
    team_id,
    developer_id
from {{ ref('api_v1__commits') }}
order by commit_id
