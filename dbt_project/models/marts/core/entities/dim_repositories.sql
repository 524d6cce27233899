with repositories as (
    select * from {{ ref('int_repositories') }}
),

commits as (
    select
        known.repository_id,
        known.delivered_at,
        credits.developer_id,
        credits.is_bot
    from {{ ref('int_commits') }} as known
    inner join {{ ref('int_commit_credits') }} as credits on known.commit_sha = credits.commit_sha and credits.place = 1
),

activity as (
    select
        repository_id,
        count(*) as commit_count,
        count(delivered_at) as delivered_commit_count,
        count(distinct case when not is_bot then developer_id end) as developer_count,
        min(delivered_at) as first_delivered_at,
        max(delivered_at) as last_delivered_at
    from commits
    group by repository_id
)

select
    repositories.*,
    coalesce(activity.commit_count, 0) as commit_count,
    coalesce(activity.delivered_commit_count, 0) as delivered_commit_count,
    coalesce(activity.developer_count, 0) as developer_count,
    activity.first_delivered_at,
    activity.last_delivered_at
from repositories
left join activity on repositories.repository_id = activity.repository_id
