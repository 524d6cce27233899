with phases as (
    select * from {{ ref('int_pull_requests__phases') }}
    where phase = 'ready'
),

pull_requests as (
    select * from {{ ref('int_pull_requests') }}
    where not is_bot
)

select
    'pull_request' as subject_type,
    pull_requests.pull_request_id as subject_id,
    pull_requests.repository_id,
    pull_requests.developer_id,
    phases.started_at,
    least(pull_requests.first_review_at, phases.ended_at) as ended_at,
    case
        when pull_requests.first_review_at <= coalesce(phases.ended_at, pull_requests.first_review_at) then 'reviewed'
        else phases.ended_by
    end as ended_by,
    cast(null as bigint) as value_micro
from phases
inner join pull_requests on phases.pull_request_id = pull_requests.pull_request_id
where phases.started_at < coalesce(pull_requests.first_review_at, phases.started_at + interval '1' second)
