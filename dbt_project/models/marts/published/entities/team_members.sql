with marts as (
    select * from {{ ref('api_v1__team_members') }}
),

developer_numbers as (
    select
        developer_id,
        position::integer as developer_number
    from {{ ref('developers') }}
),

team_numbers as (
    select
        team_id,
        position::integer as team_number
    from {{ ref('teams') }}
)

select
    marts.*,
    developer_numbers.developer_number,
    team_numbers.team_number
from marts
left join developer_numbers on marts.developer_id = developer_numbers.developer_id
left join team_numbers on marts.team_id = team_numbers.team_id
order by team_id, developer_id, start_on
