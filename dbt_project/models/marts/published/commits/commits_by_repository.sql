with sorted as (
    select * exclude (explanation, position) from {{ ref('commits_by_time') }}
    order by repository_id, delivered_at desc nulls last, commit_id
)

-- The rows arrive sorted: a window with an order of its own would hold every column.
select
    (row_number() over () - 1)::bigint as position,
    *
from sorted
