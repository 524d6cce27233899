with turns as (
    select * from {{ ref('int_pull_requests__turns') }}
    where turn in ('answer', 'commit')
),

phases as (
    select * from {{ ref('int_pull_requests__phases') }}
    where phase = 'ready'
),

pull_requests as (
    select * from {{ ref('int_pull_requests') }}
    where not is_bot
),

ordered as (
    select
        *,
        -- Whoever answers in the instant of a commit may have read it.
        lag(turn) over (partition by pull_request_id order by happened_at, turn desc) as turn_before,
        min(case when turn = 'answer' then happened_at end) over (
            partition by pull_request_id
            order by happened_at, turn desc rows between 1 following and unbounded following
        ) as answered_at
    from turns
),

unread as (
    select
        pull_request_id,
        happened_at as started_at,
        answered_at as ended_at
    from ordered
    where turn = 'commit' and turn_before = 'answer'
)

select
    'pull_request' as subject_type,
    pull_requests.pull_request_id as subject_id,
    pull_requests.repository_id,
    pull_requests.developer_id,
    {{ common_time('unread', 'phases', "'reviewed'") }},
    cast(null as bigint) as value_micro
from unread
inner join phases on unread.pull_request_id = phases.pull_request_id and {{ overlap('unread', 'phases') }}
inner join pull_requests on unread.pull_request_id = pull_requests.pull_request_id
