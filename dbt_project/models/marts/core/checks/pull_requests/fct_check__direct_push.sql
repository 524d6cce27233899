-- Deliveries of repositories whose pull requests are known, between the first of them and the last that the host told.

with commits as (
    select * from {{ ref('fct_commits') }}
    where delivered_at is not null
),

linked as (
    select distinct commits.delivery_sha
    from {{ ref('int_pull_requests__commits') }} as links
    inner join commits on links.commit_sha = commits.commit_sha
),

known as (
    select
        repository_id,
        min(created_at) as first_at,
        max(greatest(created_at, coalesce(closed_at, created_at))) as last_at
    from {{ ref('int_pull_requests') }}
    group by repository_id
)

select
    'commit' as subject_type,
    commits.commit_id as subject_id,
    commits.repository_id,
    commits.developer_id,
    commits.delivered_at as started_at,
    {{ endless() }},
    cast(null as bigint) as value_micro
from commits
inner join known
    on
        commits.repository_id = known.repository_id
        and commits.delivered_at >= known.first_at
        and commits.delivered_at <= known.last_at
left join linked on commits.delivery_sha = linked.delivery_sha
where commits.commit_sha = commits.delivery_sha and not commits.is_bot and linked.delivery_sha is null
