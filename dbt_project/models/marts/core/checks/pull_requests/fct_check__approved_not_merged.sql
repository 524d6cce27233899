with phases as (
    select * from {{ ref('int_pull_requests__phases') }}
    where phase = 'ready'
),

states as (
    select * from {{ ref('int_pull_requests__review_states') }}
    where state = 'approved'
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
    {{ common_time('states', 'phases', "'approval_withdrawn'") }},
    cast(null as bigint) as value_micro
from states
inner join phases on states.pull_request_id = phases.pull_request_id and {{ overlap('states', 'phases') }}
inner join pull_requests on states.pull_request_id = pull_requests.pull_request_id
