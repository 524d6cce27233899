-- Whoever had answered before knew the change already.

with phases as (
    select * from {{ ref('int_pull_requests__phases') }}
    where phase = 'ready'
),

pull_requests as (
    select * from {{ ref('int_pull_requests') }}
    where not is_bot and lines_added > {{ var('check_rubber_stamp_lines') }}
),

approvals as (
    select distinct
        pull_request_id,
        happened_at
    from {{ ref('int_pull_requests__events') }}
    where kind = 'approved' and is_person and not is_author
)

select
    'pull_request' as subject_type,
    pull_requests.pull_request_id as subject_id,
    pull_requests.repository_id,
    pull_requests.developer_id,
    pull_requests.first_review_at as started_at,
    {{ endless() }},
    -- A minute has 60 million microseconds.
    {{ whole_ratio(
        epoch_micros('pull_requests.first_review_at') ~ ' - ' ~ epoch_micros('phases.started_at'), '60'
    ) }} as value_micro
from pull_requests
inner join approvals
    on
        pull_requests.pull_request_id = approvals.pull_request_id
        and pull_requests.first_review_at = approvals.happened_at
inner join phases
    on
        pull_requests.pull_request_id = phases.pull_request_id
        and pull_requests.first_review_at >= phases.started_at
        and pull_requests.first_review_at <= coalesce(phases.ended_at, pull_requests.first_review_at)
