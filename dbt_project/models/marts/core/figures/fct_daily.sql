-- Bots have rows of their own and count in no total. Work that does not count is left out. A co-author of a bot has
-- no share of the bot's row.

with credits as (
    select
        *,
        case when is_ai_assisted then etv_micro else 0 end as ai_etv_micro,
        case when is_ai_assisted then commits else 0 end as ai_commits
    from {{ ref('fct_commit_credits') }}
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
    {{ summed_measures_of_days('credits') }}
from credits
inner join repositories on credits.repository_id = repositories.repository_id
left join authors on credits.commit_sha = authors.commit_sha and credits.developer_id = authors.developer_id
group by
    credits.delivered_on, credits.repository_id, credits.developer_id, authors.team_id, credits.category,
    credits.is_bot, repositories.is_sandbox
