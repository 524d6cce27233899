-- Added lines alone: removing much is quickly read.

with phases as (
    select * from {{ ref('int_pull_requests__phases') }}
    where phase = 'ready'
),

pull_requests as (
    select * from {{ ref('int_pull_requests') }}
    where not is_bot and lines_added is not null
)

select
    'pull_request' as subject_type,
    pull_requests.pull_request_id as subject_id,
    pull_requests.repository_id,
    pull_requests.developer_id,
    phases.started_at,
    phases.ended_at,
    phases.ended_by,
    cast(pull_requests.lines_added as bigint) * 1000000 as value_micro
from phases
inner join pull_requests on phases.pull_request_id = pull_requests.pull_request_id
