select * from {{ ref('api_v1__objective_days') }}
order by objective_id, delivered_on, repository_id, developer_id, team_id, is_bot
