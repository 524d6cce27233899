-- How much of a source branch was written after the first review. A merge of the target branch is no rework. Amending a
-- commit keeps its author time, so that of the committer counts where the clone has the commit.

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
)

select
    sources.pull_request_id,
    cast(count(*) as bigint) as listed_commits,
    cast(
        count(
            case
                when coalesce(commits.committed_at, sources.authored_at) > milestones.first_review_at then 1
            end
        ) as bigint
    ) as commits_after_review
from sources
inner join milestones on sources.pull_request_id = milestones.pull_request_id
left join commits on sources.repository_id = commits.repository_id and sources.source_sha = commits.commit_sha
group by sources.pull_request_id
