-- For the number of commits in a team lead's list over all time.

with commits as (
    select * from {{ ref('api_v1__commits') }}
),

team_numbers as (
    {{ row_numbers('team') }}
),

repository_numbers as (
    {{ row_numbers('repository') }}
),

developer_numbers as (
    {{ row_numbers('developer') }}
)

select
    team_numbers.team_number,
    repository_numbers.repository_number,
    developer_numbers.developer_number,
    commits.is_bot,
    count(*) as commit_count,
    count(commits.delivered_at) as delivered_commit_count,
    min(commits.delivered_at) as first_delivered_at,
    max(commits.delivered_at) as last_delivered_at
from commits
left join team_numbers on commits.team_id = team_numbers.team_id
left join repository_numbers on commits.repository_id = repository_numbers.repository_id
left join developer_numbers on commits.developer_id = developer_numbers.developer_id
group by all
order by team_number, repository_number, developer_number, is_bot
