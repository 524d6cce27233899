-- Since when open pull requests wait. The time for which one was closed meanwhile moves it on.

with milestones as (
    select * from {{ ref('int_pull_requests__milestones') }}
),

closures as (
    select * from {{ ref('int_pull_requests__closures') }}
),

begun as (
    select
        pull_request_id,
        {{ epoch_micros('coalesce(ready_at, created_at)') }} as begun_micros
    from milestones
    where state = 'open'
),

closed as (
    select
        begun.pull_request_id,
        sum(
            {{ epoch_micros('closures.reopened_at') }}
            - greatest({{ epoch_micros('closures.closed_at') }}, begun.begun_micros)
        ) as micros
    from begun
    inner join closures on begun.pull_request_id = closures.pull_request_id
    where {{ epoch_micros('closures.reopened_at') }} > begun.begun_micros
    group by begun.pull_request_id
)

select
    begun.pull_request_id,
    {{ instant_of_micros('begun.begun_micros + cast(coalesce(closed.micros, 0) as bigint)') }} as waiting_since
from begun
left join closed on begun.pull_request_id = closed.pull_request_id
