-- How much of a source branch was written after the first review. A merge of the target branch is no rework.

with sources as (
    select * from {{ ref('stg_hosts__pull_request_commits') }}
    where not subject like 'Merge %branch%'
),

milestones as (
    select * from {{ ref('int_pull_requests__milestones') }}
    where first_review_at is not null
)

select
    sources.pull_request_id,
    cast(count(*) as bigint) as listed_commits,
    cast(count(case when sources.authored_at > milestones.first_review_at then 1 end) as bigint) as commits_after_review
from sources
inner join milestones on sources.pull_request_id = milestones.pull_request_id
group by sources.pull_request_id
