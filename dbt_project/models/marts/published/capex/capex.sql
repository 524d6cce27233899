with marts as (
    select * from {{ ref('api_v1__capex') }}
),

developer_numbers as (
    {{ row_numbers('developer') }}
)

select
    marts.*,
    developer_numbers.developer_number
from marts
left join developer_numbers on marts.developer_id = developer_numbers.developer_id
order by month, developer_id
