-- An approval stands until the same person takes it back.

with signs as (
    select
        pull_request_id,
        {{ compared_account('actor') }} as reviewer,
        happened_at,
        kind
    from {{ ref('int_pull_requests__events') }}
    where is_person and not is_author
),

judged as (
    select
        *,
        min(case when kind in ('changes_requested', 'unapproved') then happened_at end) over (
            partition by pull_request_id, reviewer
            order by happened_at range between current row and unbounded following
        ) as withdrawn_at
    from signs
    where kind in ('approved', 'changes_requested', 'unapproved')
),

-- Nobody took back what lasts until then.
standing as (
    select
        pull_request_id,
        happened_at as started_at,
        coalesce(withdrawn_at, cast('9999-12-31' as {{ instant_type() }})) as ended_at
    from judged
    where kind = 'approved' and (withdrawn_at is null or withdrawn_at > happened_at)
),

followed as (
    select
        *,
        max(ended_at) over (
            partition by pull_request_id
            order by started_at, ended_at rows between unbounded preceding and 1 preceding
        ) as ended_before
    from standing
),

numbered as (
    select
        *,
        sum(case when started_at <= ended_before then 0 else 1 end) over (
            partition by pull_request_id
            order by started_at, ended_at rows between unbounded preceding and current row
        ) as stretch
    from followed
),

approved as (
    select
        pull_request_id,
        min(started_at) as started_at,
        nullif(max(ended_at), cast('9999-12-31' as {{ instant_type() }})) as ended_at
    from numbered
    group by pull_request_id, stretch
),

changes as (
    select
        pull_request_id,
        'in_review' as state,
        min(happened_at) as started_at
    from signs
    where kind in {{ review_kinds() }}
    group by pull_request_id
    union all
    select
        pull_request_id,
        'approved' as state,
        started_at
    from approved
    union all
    select
        pull_request_id,
        'in_review' as state,
        ended_at as started_at
    from approved
    where ended_at is not null
),

paired as (
    select
        *,
        lead(started_at) over (partition by pull_request_id order by started_at, state desc) as ended_at
    from changes
)

select
    pull_request_id,
    state,
    started_at,
    ended_at
from paired
where ended_at is null or ended_at > started_at
