with phases as (
    select * from {{ ref('int_pull_requests__phases') }}
    where phase = 'draft'
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
    phases.ended_at,
    phases.ended_by,
    cast(null as bigint) as value_micro
from phases
inner join pull_requests on phases.pull_request_id = pull_requests.pull_request_id
