{{ contracted('commits_by_time') }}
select
    row_number() over (order by delivered_at, commit_id) - 1 as position,
    *
from {{ ref('api_v1__commits') }}
