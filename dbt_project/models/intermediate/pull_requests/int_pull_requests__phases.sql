-- When a pull request was a draft or ready for review, without the times at which it was closed.

with milestones as (
    select * from {{ ref('int_pull_requests__milestones') }}
),

pull_requests as (
    select * from {{ ref('stg_hosts__pull_requests') }}
),

closures as (
    select * from {{ ref('int_pull_requests__closures') }}
),

turns as (
    select
        milestones.pull_request_id,
        events.happened_at,
        events.kind
    from {{ ref('int_pull_requests__events') }} as events
    inner join milestones on events.pull_request_id = milestones.pull_request_id
    where
        events.kind in ('ready', 'draft')
        and events.happened_at > milestones.created_at
        and events.happened_at < coalesce(milestones.ended_at, events.happened_at + interval '1' second)
),

first_turns as (
    select
        pull_request_id,
        min_by(kind, happened_at) as kind
    from turns
    group by pull_request_id
),

-- What first became ready was a draft before, and the other way round.
states as (
    select
        milestones.pull_request_id,
        milestones.created_at as started_at,
        case
            when first_turns.kind = 'ready' then 'draft'
            when first_turns.kind is null and pull_requests.is_draft then 'draft'
            else 'ready'
        end as phase
    from milestones
    inner join pull_requests on milestones.pull_request_id = pull_requests.pull_request_id
    left join first_turns on milestones.pull_request_id = first_turns.pull_request_id
    union all
    select
        pull_request_id,
        happened_at as started_at,
        kind as phase
    from turns
),

ordered as (
    select
        *,
        lag(phase) over (partition by pull_request_id order by started_at, phase) as phase_before
    from states
),

changes as (
    select
        pull_request_id,
        started_at,
        phase,
        lead(started_at) over (partition by pull_request_id order by started_at, phase) as next_at,
        lead(phase) over (partition by pull_request_id order by started_at, phase) as next_phase
    from ordered
    where phase_before is null or phase_before <> phase
),

whole as (
    select
        changes.pull_request_id,
        changes.phase,
        changes.started_at,
        coalesce(changes.next_at, milestones.ended_at) as ended_at,
        case
            when changes.next_at is not null then changes.next_phase
            when milestones.ended_at is not null then milestones.state
        end as ended_by
    from changes
    inner join milestones on changes.pull_request_id = milestones.pull_request_id
),

-- A phase begins again when a closed pull request is opened again.
beginnings as (
    select
        pull_request_id,
        phase,
        started_at,
        ended_at,
        ended_by
    from whole
    union all
    select
        whole.pull_request_id,
        whole.phase,
        closures.reopened_at as started_at,
        whole.ended_at,
        whole.ended_by
    from whole
    inner join closures on whole.pull_request_id = closures.pull_request_id
    where
        closures.reopened_at > whole.started_at
        and closures.reopened_at < coalesce(whole.ended_at, closures.reopened_at + interval '1' second)
),

next_closes as (
    select
        beginnings.pull_request_id,
        beginnings.started_at,
        min(closures.closed_at) as closed_at,
        max(case when closures.closed_at <= beginnings.started_at then 1 else 0 end) = 1 as is_closed
    from beginnings
    inner join closures
        on
            beginnings.pull_request_id = closures.pull_request_id
            and closures.reopened_at > beginnings.started_at
    group by beginnings.pull_request_id, beginnings.started_at
)

select
    beginnings.pull_request_id,
    beginnings.phase,
    beginnings.started_at,
    case
        when next_closes.closed_at < coalesce(beginnings.ended_at, next_closes.closed_at + interval '1' second)
            then next_closes.closed_at
        else beginnings.ended_at
    end as ended_at,
    case
        when next_closes.closed_at < coalesce(beginnings.ended_at, next_closes.closed_at + interval '1' second)
            then 'closed'
        else beginnings.ended_by
    end as ended_by
from beginnings
left join next_closes
    on
        beginnings.pull_request_id = next_closes.pull_request_id
        and beginnings.started_at = next_closes.started_at
where not coalesce(next_closes.is_closed, false)
