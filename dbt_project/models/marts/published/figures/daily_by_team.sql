-- Sorted by team, because a team lead reads the rows of some teams.

select * from {{ ref('api_v1__daily') }}
order by team_id, delivered_on, repository_id, developer_id, category, is_bot
