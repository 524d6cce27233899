-- Answers of a reviewer to a pull request on one day, in the organization's time zone.

with events as (
    select * from {{ ref('int_pull_requests__events') }}
    where kind in {{ review_kinds() }} and actor <> '' and not is_author
),

milestones as (
    select * from {{ ref('int_pull_requests__milestones') }}
),

closures as (
    select * from {{ ref('int_pull_requests__closures') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

members as (
    select * from {{ ref('int_teams__members') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
    where not is_excluded
),

dated as (
    select
        events.*,
        cast({{ local_time('organization.time_zone', 'events.happened_at') }} as date) as reviewed_on,
        min(events.happened_at) over (partition by events.pull_request_id, events.actor) as first_answer_at
    from events
    cross join organization
),

counted as (
    select
        pull_request_id,
        repository_id,
        actor as reviewer,
        developer_id,
        is_bot,
        reviewed_on,
        min(happened_at) as first_at,
        min(first_answer_at) as first_answer_at,
        count(*) as answers,
        count(case when kind = 'approved' then 1 end) as approvals,
        count(case when kind = 'changes_requested' then 1 end) as change_requests,
        count(case when kind = 'reviewed' then 1 end) as reviews,
        count(case when kind = 'commented' then 1 end) as comments
    from dated
    group by pull_request_id, repository_id, actor, developer_id, is_bot, reviewed_on
),

first_answers as (
    select
        counted.pull_request_id,
        counted.reviewer,
        milestones.ready_at,
        min(counted.first_answer_at) as answered_at
    from counted
    inner join milestones on counted.pull_request_id = milestones.pull_request_id
    group by counted.pull_request_id, counted.reviewer, milestones.ready_at
),

closed as (
    select
        first_answers.pull_request_id,
        first_answers.reviewer,
        sum(
            {{ epoch_micros('least(first_answers.answered_at, closures.reopened_at)') }}
            - {{ epoch_micros('greatest(first_answers.ready_at, closures.closed_at)') }}
        ) as micros
    from first_answers
    inner join closures on first_answers.pull_request_id = closures.pull_request_id
    where first_answers.ready_at < closures.reopened_at and first_answers.answered_at > closures.closed_at
    group by first_answers.pull_request_id, first_answers.reviewer
)

select
    counted.pull_request_id,
    counted.repository_id,
    counted.reviewer,
    counted.developer_id,
    members.team_id,
    counted.is_bot,
    repositories.is_sandbox,
    counted.reviewed_on,
    counted.answers,
    counted.approvals,
    counted.change_requests,
    counted.reviews,
    counted.comments,
    -- From ready to the reviewer's first answer, without the time while it was closed, on the day of that answer.
    case
        when counted.first_at = counted.first_answer_at and milestones.ready_at is not null
            then
                {{ hours_micro(
                    "greatest(" ~ epoch_micros('counted.first_at') ~ " - " ~ epoch_micros('milestones.ready_at')
                    ~ " - cast(coalesce(closed.micros, 0) as bigint), 0)"
                ) }}
    end as response_hours_micro
from counted
inner join repositories on counted.repository_id = repositories.repository_id
inner join milestones on counted.pull_request_id = milestones.pull_request_id
left join closed on counted.pull_request_id = closed.pull_request_id and counted.reviewer = closed.reviewer
left join members
    on
        counted.developer_id = members.developer_id
        and counted.reviewed_on between members.start_on and members.end_on
