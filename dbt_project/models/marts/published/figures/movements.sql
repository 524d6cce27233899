with marts as (
    select * from {{ ref('api_v1__movements') }}
),

numbers as (
    {{ entity_numbers() }}
)

select
    marts.*,
    numbers.entity_number
from marts
left join numbers on marts.entity_id = numbers.entity_id
order by entity_kind, entity_id, period, period_start
