{{ contracted('commits_by_time') }}
select
    row_number() over (order by delivered_at, commit_id) - 1 as position,
    *
from {{ ref('fct_commits') }}
