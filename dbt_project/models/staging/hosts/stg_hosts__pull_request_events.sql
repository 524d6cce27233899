with {{ newest_pull_requests(['author', 'events']) }},

events as (
    select
        pull_request_id,
        host,
        repository_id,
        {{ compared_account('author') }} as author,
        {{ each('events') }} as event
    from pull_requests
)

-- A provider may name one event twice, on two pages.
select distinct
    pull_request_id,
    host,
    repository_id,
    author,
    event.kind as kind,
    event.at as happened_at,
    {{ compared_account('event.actor') }} as actor,
    event.actor as written_actor,
    event.actor_kind as actor_kind,
    event.detail as detail
from events
