select * from {{ ref('api_v1__daily') }}
order by delivered_on, repository_id, developer_id, team_id, category, is_bot
