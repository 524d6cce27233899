with marts as (
    select * from {{ ref('api_v1__performance') }}
),

numbers as (
    {{ entity_numbers() }}
)

select
    marts.*,
    numbers.entity_number
from marts
left join numbers on marts.entity_id = numbers.entity_id
