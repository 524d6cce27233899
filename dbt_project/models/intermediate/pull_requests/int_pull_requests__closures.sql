-- When a pull request was closed until somebody opened it again. Nobody waited for it meanwhile.

with turns as (
    select distinct
        pull_request_id,
        kind,
        happened_at
    from {{ ref('stg_hosts__pull_request_events') }}
    where kind in ('closed', 'reopened')
),

ordered as (
    select
        *,
        lag(kind) over (partition by pull_request_id order by happened_at, kind) as kind_before
    from turns
),

-- A host may tell a close twice.
changes as (
    select
        pull_request_id,
        kind,
        happened_at
    from ordered
    where kind_before is null or kind_before <> kind
),

paired as (
    select
        *,
        lead(happened_at) over (partition by pull_request_id order by happened_at, kind) as next_at
    from changes
)

select
    pull_request_id,
    happened_at as closed_at,
    next_at as reopened_at
from paired
where kind = 'closed' and next_at > happened_at
