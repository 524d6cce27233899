with marts as (
    select * from {{ ref('api_v1__movements') }}
),

numbers as (
    select
        repository_id as entity_id,
        position::integer as entity_number
    from {{ ref('repositories') }}
    union all
    select
        developer_id,
        position::integer
    from {{ ref('developers') }}
    union all
    select
        team_id,
        position::integer
    from {{ ref('teams') }}
)

select
    marts.*,
    numbers.entity_number
from marts
left join numbers on marts.entity_id = numbers.entity_id
order by entity_kind, entity_id, period, period_start
