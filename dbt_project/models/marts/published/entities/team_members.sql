with marts as (
    select * from {{ ref('api_v1__team_members') }}
),

developer_numbers as (
    {{ row_numbers('developer') }}
),

team_numbers as (
    {{ row_numbers('team') }}
)

select
    marts.*,
    developer_numbers.developer_number,
    team_numbers.team_number
from marts
left join developer_numbers on marts.developer_id = developer_numbers.developer_id
left join team_numbers on marts.team_id = team_numbers.team_id
order by team_id, developer_id, start_on
