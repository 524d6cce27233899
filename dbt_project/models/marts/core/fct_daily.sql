-- Bots count in no total but are shown on a line of their own; work that no rule counts is left out. The helper of a
-- bot has no share of its line.

with credits as (
    select * from {{ ref('fct_commit_credits') }}
    where is_counted or (zero_reason = 'BOT' and role = 'author')
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

authors as (
    select * from {{ ref('int_teams__authors') }}
)

select
    credits.delivered_on,
    credits.repository_id,
    credits.developer_id,
    authors.team_id,
    credits.category,
    credits.is_bot,
    repositories.is_sandbox,
    {{ daily_measures('credits') | indent(4) }}
from credits
inner join repositories on credits.repository_id = repositories.repository_id
left join authors on credits.commit_sha = authors.commit_sha and credits.developer_id = authors.developer_id
group by
    credits.delivered_on, credits.repository_id, credits.developer_id, authors.team_id, credits.category,
    credits.is_bot, repositories.is_sandbox
