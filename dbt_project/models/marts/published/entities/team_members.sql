with marts as (
    select * from {{ ref('api_v1__team_members') }}
),

developer_numbers as (
    select
        developer_id,
        position::integer as developer_place
    from {{ ref('developers') }}
),

team_numbers as (
    select
        team_id,
        position::integer as team_place
    from {{ ref('teams') }}
)

select
    marts.*,
    developer_numbers.developer_place,
    team_numbers.team_place
from marts
left join developer_numbers on marts.developer_id = developer_numbers.developer_id
left join team_numbers on marts.team_id = team_numbers.team_id
order by team_id, developer_id, start_on
