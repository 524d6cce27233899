with sorted as (
    select * from {{ ref('api_v1__developers') }}
    order by developer_id
)

-- The rows arrive sorted: a window with an order of its own would hold every column.
select
    (row_number() over () - 1)::bigint as position,
    *
from sorted
