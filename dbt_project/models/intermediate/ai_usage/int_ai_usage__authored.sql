-- The commits for which a developer worked on a day. Work on a branch is that of the squash that delivered it. Where a day
-- has delivered commits, the others are drafts of these.

with commits as (
    select * from {{ ref('int_commits') }}
    where not is_merge and not is_upstream
),

credits as (
    select * from {{ ref('int_commit_credits') }}
    where place = 1
),

sources as (
    select * from {{ ref('int_commit_source_people') }}
    where place = 0
),

developers as (
    select * from {{ ref('int_identity__developers') }}
),

written as (
    select
        commit_sha,
        min(authored_at) as authored_at
    from {{ ref('stg_git__commits') }}
    group by commit_sha
),

squashes as (
    select
        sources.source_sha,
        min(sources.commit_sha) as commit_sha
    from sources
    inner join commits on sources.commit_sha = commits.commit_sha
    group by sources.source_sha
),

own as (
    select
        credits.developer_id,
        commits.authored_at,
        commits.commit_sha
    from commits
    inner join credits on commits.commit_sha = credits.commit_sha
    left join squashes on commits.commit_sha = squashes.source_sha
    where squashes.source_sha is null
),

of_squashes as (
    select
        developers.developer_id,
        written.authored_at,
        squashes.commit_sha
    from sources
    inner join squashes on sources.source_sha = squashes.source_sha
    inner join written on sources.source_sha = written.commit_sha
    inner join developers on sources.name = developers.name and sources.address = developers.address
),

every as (
    select * from own
    union all
    select * from of_squashes
),

days as (
    select distinct
        every.developer_id,
        cast({{ local_time("'UTC'", 'every.authored_at') }} as date) as authored_on,
        every.commit_sha,
        commits.delivery_sha is not null as is_delivered
    from every
    inner join commits on every.commit_sha = commits.commit_sha
),

judged as (
    select
        *,
        bool_or(is_delivered) over (partition by developer_id, authored_on) as has_delivered
    from days
)

select
    developer_id,
    authored_on,
    commit_sha
from judged
where is_delivered or not has_delivered
