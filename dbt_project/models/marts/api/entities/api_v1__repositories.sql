with repositories as (
    select * from {{ ref('dim_repositories') }}
)

select
    repository_id,
    name,
    origin,
    default_branch,
    head_sha,
    is_sandbox,
    is_excluded,
    is_disabled,
    tags,
    is_shallow,
    is_partial,
    cast(commit_count as bigint) as commit_count,
    cast(delivered_commit_count as bigint) as delivered_commit_count,
    cast(developer_count as bigint) as developer_count,
    cast(skipped_objects as bigint) as skipped_objects,
    cast(misdated_deliveries as bigint) as misdated_deliveries,
    first_delivered_at,
    last_delivered_at,
    '{{ var("calculation_version") }}' as calculation_version
from repositories
