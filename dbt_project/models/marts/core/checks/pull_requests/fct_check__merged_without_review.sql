with pull_requests as (
    select * from {{ ref('int_pull_requests') }}
    where not is_bot and merged_at is not null and first_review_at is null
)

select
    'pull_request' as subject_type,
    pull_request_id as subject_id,
    repository_id,
    developer_id,
    merged_at as started_at,
    {{ endless() }},
    cast(null as bigint) as value_micro
from pull_requests
