with times as (
    select * from {{ ref('fct_pull_request_times') }}
),

known as (
    select
        pull_request_id,
        team_id,
        developer_id
    from {{ ref('fct_pull_requests') }}
)

select
    times.pull_request_id,
    known.team_id,
    known.developer_id,
    times.measure,
    times.started_by,
    times.started_at,
    times.started_by_login,
    times.ended_by,
    times.ended_at,
    times.ended_by_login,
    times.hours_micro,
    times.working_hours_micro,
    times.closed_hours_micro,
    times.missing_reason
from times
inner join known on times.pull_request_id = known.pull_request_id
