-- Whoever merges an update of dependencies by hand has decided about it. The person who merges the change of an agent
-- may be the one who asked for it, and is no second reader.

with pull_requests as (
    select * from {{ ref('int_pull_requests') }}
    where is_bot and merged_at is not null and first_review_at is null
),

agents as (
    select distinct pull_request_id
    from {{ ref('int_pull_requests__own_signs') }}
    where signal = 'PULL_REQUEST_AUTHOR' and role = 'authored'
),

robots as (
    select login
    from {{ ref('int_pull_requests__robots') }}
    union distinct
    select value as login
    from {{ ref('ai_signals') }}
    where signal = 'login'
)

select
    'pull_request' as subject_type,
    pull_requests.pull_request_id as subject_id,
    pull_requests.repository_id,
    pull_requests.developer_id,
    pull_requests.merged_at as started_at,
    {{ endless() }},
    cast(null as bigint) as value_micro
from pull_requests
left join agents on pull_requests.pull_request_id = agents.pull_request_id
left join robots on {{ compared_account('pull_requests.merged_by') }} = robots.login
where
    agents.pull_request_id is not null
    or robots.login is not null
    or {{ compared_account("coalesce(pull_requests.merged_by, pull_requests.author, '')") }}
    = {{ compared_account("coalesce(pull_requests.author, '')") }}
