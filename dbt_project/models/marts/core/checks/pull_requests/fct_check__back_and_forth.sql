-- A round begins when somebody answers what the author wrote or said since the answer before.

with turns as (
    select * from {{ ref('int_pull_requests__turns') }}
),

phases as (
    select * from {{ ref('int_pull_requests__phases') }}
),

pull_requests as (
    select * from {{ ref('int_pull_requests') }}
    where not is_bot
),

ordered as (
    select
        *,
        lag(turn) over (partition by pull_request_id order by happened_at, turn desc) as turn_before
    from turns
),

rounds as (
    select
        pull_request_id,
        happened_at,
        row_number() over (partition by pull_request_id order by happened_at) as number
    from ordered
    where turn = 'answer' and coalesce(turn_before, '') <> 'answer'
),

-- A phase begins with the rounds that were before it.
counted as (
    select
        rounds.pull_request_id,
        greatest(rounds.happened_at, phases.started_at) as started_at,
        phases.ended_at,
        phases.ended_by,
        max(rounds.number) as number
    from rounds
    inner join phases
        on
            rounds.pull_request_id = phases.pull_request_id
            and rounds.happened_at < coalesce(phases.ended_at, rounds.happened_at + interval '1' second)
    group by
        rounds.pull_request_id, greatest(rounds.happened_at, phases.started_at), phases.ended_at, phases.ended_by
)

select
    'pull_request' as subject_type,
    pull_requests.pull_request_id as subject_id,
    pull_requests.repository_id,
    pull_requests.developer_id,
    counted.started_at,
    counted.ended_at,
    counted.ended_by,
    cast(counted.number as bigint) * 1000000 as value_micro
from counted
inner join pull_requests on counted.pull_request_id = pull_requests.pull_request_id
