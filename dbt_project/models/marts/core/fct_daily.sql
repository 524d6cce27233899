-- Bots count nothing but are shown on a line of their own; what no rule counts is left out.

with credits as (
    select * from {{ ref('fct_commit_credits') }}
    where is_counted or zero_reason = 'BOT'
),

repositories as (
    select * from {{ ref('int_repositories') }}
)

select
    credits.delivered_on,
    credits.repository_id,
    credits.developer_id,
    credits.category,
    credits.is_bot,
    repositories.is_sandbox,
    cast(sum(credits.etv_micro) as bigint) as etv_micro,
    cast(sum(credits.effort_micro) as bigint) as effort_micro,
    cast(sum(credits.points_micro) as bigint) as points_micro,
    cast(sum(credits.taken_back_points_micro) as bigint) as taken_back_points_micro,
    cast(sum(case when credits.is_ai_assisted then credits.etv_micro else 0 end) as bigint) as ai_etv_micro,
    cast(sum(credits.commits) as bigint) as commits,
    cast(sum(case when credits.is_ai_assisted then credits.commits else 0 end) as bigint) as ai_commits,
    cast(sum(credits.files) as bigint) as files,
    cast(sum(credits.lines_added) as bigint) as lines_added,
    cast(sum(credits.lines_deleted) as bigint) as lines_deleted
from credits
inner join repositories on credits.repository_id = repositories.repository_id
group by
    credits.delivered_on, credits.repository_id, credits.developer_id, credits.category, credits.is_bot,
    repositories.is_sandbox
