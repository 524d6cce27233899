-- How much of a source branch was written after the first review. A merge of the target branch is no rework. Amending a
-- commit keeps its author time, so that of the committer counts where the clone or the host knows it. A rebase on the
-- target branch writes all commits at once and changes none of them, so there the author times count.

with sources as (
    select * from {{ ref('stg_hosts__pull_request_commits') }}
    where not subject like 'Merge %branch%'
),

commits as (
    select * from {{ ref('stg_git__commits') }}
),

milestones as (
    select * from {{ ref('int_pull_requests__milestones') }}
    where first_review_at is not null
),

dated as (
    select
        sources.pull_request_id,
        milestones.first_review_at,
        coalesce(commits.authored_at, sources.authored_at) as authored_at,
        coalesce(commits.committed_at, sources.committed_at, sources.authored_at) as committed_at
    from sources
    inner join milestones on sources.pull_request_id = milestones.pull_request_id
    left join commits on sources.repository_id = commits.repository_id and sources.source_sha = commits.commit_sha
),

counted as (
    select
        pull_request_id,
        count(*) as listed_commits,
        count(case when authored_at > first_review_at then 1 end) as authored_after,
        count(case when committed_at > first_review_at then 1 end) as committed_after,
        {{ epoch_micros('max(committed_at)') }} - {{ epoch_micros('min(committed_at)') }} as span_micros
    from dated
    group by pull_request_id
)

select
    pull_request_id,
    cast(listed_commits as bigint) as listed_commits,
    cast(
        case
            when listed_commits > 1 and span_micros <= {{ var('rebase_seconds') }} * 1000000 then authored_after
            else greatest(authored_after, committed_after)
        end as bigint
    ) as commits_after_review
from counted
