select * from {{ ref('api_v1__team_daily') }}
order by team_id, delivered_on, repository_id, developer_id, category, is_bot, is_sandbox
