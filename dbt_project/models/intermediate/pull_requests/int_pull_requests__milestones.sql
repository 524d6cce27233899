-- The instants between which the times of a pull request run. Answers after the merge or close stop no clock.

with known as (
    select * from {{ ref('stg_hosts__pull_requests') }}
),

events as (
    select * from {{ ref('int_pull_requests__events') }}
),

sources as (
    select * from {{ ref('stg_hosts__pull_request_commits') }}
),

delivered as (
    select
        links.pull_request_id,
        min(commits.authored_at) as authored_at,
        max(commits.delivered_at) as delivered_at
    from {{ ref('int_pull_requests__commits') }} as links
    inner join {{ ref('int_commits') }} as commits on links.commit_sha = commits.commit_sha
    where not commits.is_merge
    group by links.pull_request_id
),

listed as (
    select
        pull_request_id,
        min(authored_at) as authored_at
    from sources
    group by pull_request_id
),

closers as (
    select
        pull_request_id,
        max_by(actor, happened_at) as actor
    from events
    where kind = 'closed'
    group by pull_request_id
),

-- A closed pull request with delivered commits was merged by other means than the host's button.
pull_requests as (
    select
        known.pull_request_id,
        known.repository_id,
        known.created_at,
        known.is_draft,
        known.written_author,
        case when known.state = 'closed' and delivered.delivered_at is not null then 'merged' else known.state end as state,
        case
            when known.state = 'closed' and delivered.delivered_at is not null
                then least(delivered.delivered_at, known.closed_at)
            when known.state = 'merged' then coalesce(known.merged_at, known.closed_at)
            when known.state = 'closed' then known.closed_at
        end as ended_at,
        case
            when known.state = 'closed' and delivered.delivered_at is not null then closers.actor
            else known.merged_by
        end as merged_by
    from known
    left join delivered on known.pull_request_id = delivered.pull_request_id
    left join closers on known.pull_request_id = closers.pull_request_id
),

answers as (
    select
        events.pull_request_id,
        events.kind,
        events.actor,
        events.happened_at
    from events
    inner join pull_requests on events.pull_request_id = pull_requests.pull_request_id
    where
        events.is_person
        and not events.is_author
        and events.happened_at <= coalesce(pull_requests.ended_at, events.happened_at)
        and events.kind in ('approved', 'changes_requested', 'reviewed', 'commented', 'unapproved')
),

ordered as (
    select
        *,
        row_number() over (partition by pull_request_id order by happened_at, actor, kind) as place
    from answers
    where kind in {{ review_kinds() }}
),

first_reviews as (
    select
        pull_request_id,
        happened_at,
        actor
    from ordered
    where place = 1
),

-- An approval stands until the same person takes it back.
withdrawn as (
    select
        pull_request_id,
        actor,
        max(happened_at) as happened_at
    from answers
    where kind in ('changes_requested', 'unapproved')
    group by pull_request_id, actor
),

standing as (
    select
        answers.pull_request_id,
        answers.happened_at,
        answers.actor,
        row_number() over (partition by answers.pull_request_id order by answers.happened_at, answers.actor) as place
    from answers
    left join withdrawn
        on answers.pull_request_id = withdrawn.pull_request_id and answers.actor = withdrawn.actor
    where
        answers.kind = 'approved'
        and (withdrawn.happened_at is null or answers.happened_at > withdrawn.happened_at)
),

turns as (
    select
        pull_request_id,
        kind,
        happened_at,
        row_number() over (partition by pull_request_id order by happened_at, kind) as place
    from events
    where kind in ('ready', 'draft')
),

drafts as (
    select
        pull_request_id,
        max(case when place = 1 then kind end) as first_turn,
        max(case when kind = 'draft' then happened_at end) as last_draft_at
    from turns
    group by pull_request_id
),

-- A pull request was made ready if it was never a draft, or if it first became one.
ready_moments as (
    select
        pull_requests.pull_request_id,
        pull_requests.created_at as ready_at
    from pull_requests
    left join drafts on pull_requests.pull_request_id = drafts.pull_request_id
    where drafts.first_turn = 'draft' or (drafts.first_turn is null and not pull_requests.is_draft)
    union all
    select
        pull_request_id,
        happened_at as ready_at
    from turns
    where kind = 'ready'
),

-- The clock of the pickup starts when it last became ready before the first review.
ready as (
    select
        ready_moments.pull_request_id,
        max(
            case
                when first_reviews.happened_at is null or ready_moments.ready_at <= first_reviews.happened_at
                    then ready_moments.ready_at
            end
        ) as ready_before_review_at,
        min(ready_moments.ready_at) as first_ready_at,
        max(ready_moments.ready_at) as last_ready_at
    from ready_moments
    left join first_reviews on ready_moments.pull_request_id = first_reviews.pull_request_id
    group by ready_moments.pull_request_id
)

select
    pull_requests.pull_request_id,
    pull_requests.repository_id,
    pull_requests.state,
    pull_requests.created_at,
    pull_requests.written_author as author,
    coalesce(listed.authored_at, delivered.authored_at) as first_commit_at,
    case
        when
            first_reviews.happened_at is null and pull_requests.is_draft
            and drafts.last_draft_at >= ready.last_ready_at
            then null
        else coalesce(ready.ready_before_review_at, ready.first_ready_at)
    end as ready_at,
    first_reviews.happened_at as first_review_at,
    first_reviews.actor as first_reviewer,
    standing.happened_at as approved_at,
    standing.actor as approver,
    case when pull_requests.state = 'merged' then pull_requests.ended_at end as merged_at,
    pull_requests.merged_by,
    pull_requests.ended_at
from pull_requests
left join listed on pull_requests.pull_request_id = listed.pull_request_id
left join delivered on pull_requests.pull_request_id = delivered.pull_request_id
left join first_reviews on pull_requests.pull_request_id = first_reviews.pull_request_id
left join standing on pull_requests.pull_request_id = standing.pull_request_id and standing.place = 1
left join drafts on pull_requests.pull_request_id = drafts.pull_request_id
left join ready on pull_requests.pull_request_id = ready.pull_request_id
