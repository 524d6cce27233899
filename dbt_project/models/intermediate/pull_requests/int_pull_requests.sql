-- Pull requests with the developer of the author and the days and instants of their course.

with pull_requests as (
    select * from {{ ref('stg_hosts__pull_requests') }}
),

milestones as (
    select * from {{ ref('int_pull_requests__milestones') }}
),

logins as (
    select * from {{ ref('int_pull_requests__logins') }}
),

robots as (
    select * from {{ ref('int_pull_requests__robots') }}
),

attributes as (
    select * from {{ ref('int_identity__attributes') }}
),

organization as (
    select * from {{ ref('int_organization') }}
)

select
    pull_requests.pull_request_id,
    pull_requests.repository_id,
    pull_requests.number,
    pull_requests.title,
    milestones.state,
    pull_requests.is_draft,
    pull_requests.written_author as author,
    logins.developer_id,
    case
        when attributes.kind is not null then attributes.kind = 'bot'
        when robots.is_known then true
        else coalesce(logins.is_bot, pull_requests.author_kind = 'bot' or robots.login is not null)
    end as is_bot,
    pull_requests.created_at,
    cast({{ local_time('organization.time_zone', 'pull_requests.created_at') }} as date) as created_on,
    milestones.ready_at,
    milestones.first_review_at,
    milestones.approved_at,
    milestones.merged_at,
    cast({{ local_time('organization.time_zone', 'milestones.merged_at') }} as date) as merged_on,
    milestones.merged_by,
    case when milestones.state <> 'open' then milestones.ended_at end as closed_at,
    pull_requests.source_branch,
    pull_requests.target_branch,
    pull_requests.url,
    pull_requests.labels,
    pull_requests.reviewers as requested_reviewers,
    pull_requests.source_shas,
    pull_requests.commit_count,
    pull_requests.lines_added,
    pull_requests.lines_deleted,
    pull_requests.comment_count
from pull_requests
inner join milestones on pull_requests.pull_request_id = milestones.pull_request_id
left join logins on pull_requests.host = logins.host and pull_requests.author = logins.login
left join attributes on logins.developer_id = attributes.developer_id
left join robots on pull_requests.host = robots.host and pull_requests.author = robots.login
cross join organization
