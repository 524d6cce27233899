-- Who is waited for. A request after an answer asks again.

with events as (
    select * from {{ ref('stg_hosts__pull_request_events') }}
),

asked as (
    select
        pull_request_id,
        {{ each('requested_reviewers') }} as reviewer
    from {{ ref('int_pull_requests') }}
    where state = 'open'
),

last_requests as (
    select
        pull_request_id,
        {{ compared_account('detail') }} as login,
        max(happened_at) as happened_at
    from events
    where kind = 'review_requested'
    group by pull_request_id, {{ compared_account('detail') }}
),

last_answers as (
    select
        pull_request_id,
        actor as login,
        max(happened_at) as happened_at
    from events
    where kind in {{ review_kinds() }}
    group by pull_request_id, actor
)

select
    asked.pull_request_id,
    {{ collected_distinct('asked.reviewer') }} as awaited_reviewers
from asked
left join last_requests
    on
        asked.pull_request_id = last_requests.pull_request_id
        and {{ compared_account('asked.reviewer') }} = last_requests.login
left join last_answers
    on
        asked.pull_request_id = last_answers.pull_request_id
        and {{ compared_account('asked.reviewer') }} = last_answers.login
where last_answers.happened_at is null or last_answers.happened_at < last_requests.happened_at
group by asked.pull_request_id
