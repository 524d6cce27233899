with commits as (
    select * from {{ ref('int_commits') }}
),

credits as (
    select * from {{ ref('int_commit_credits') }}
)

select
    commits.commit_sha,
    commits.commit_id,
    commits.repository_id,
    commits.is_merge,
    commits.is_root,
    commits.is_unrelated_root,
    commits.is_upstream,
    commits.files_changed,
    commits.delivery_sha,
    commits.delivery_number,
    commits.commit_number,
    commits.delivered_at,
    {{ epoch_micros('commits.delivered_at') }} as delivered_micros,
    commits.delivered_on,
    {{ epoch_micros('commits.authored_at') }} as authored_micros,
    credits.developer_id,
    credits.is_bot
from commits
inner join credits on commits.commit_sha = credits.commit_sha and credits.place = 1
where commits.delivery_sha is not null
