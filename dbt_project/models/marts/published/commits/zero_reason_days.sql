select * from {{ ref('api_v1__zero_reason_days') }}
order by delivered_on, repository_id, team_id, developer_id, is_bot, zero_reason
