with repositories as (
    select * from {{ ref('dim_repositories') }}
),

pages as (
    {{ commit_pages() }}
)

select
    repositories.repository_id,
    repositories.name,
    repositories.origin,
    pages.commit_page,
    repositories.default_branch,
    repositories.head_sha,
    repositories.is_sandbox,
    repositories.is_excluded,
    repositories.is_disabled,
    repositories.tags,
    repositories.is_shallow,
    repositories.is_partial,
    cast(repositories.commit_count as bigint) as commit_count,
    cast(repositories.delivered_commit_count as bigint) as delivered_commit_count,
    cast(repositories.developer_count as bigint) as developer_count,
    cast(repositories.skipped_objects as bigint) as skipped_objects,
    cast(repositories.misdated_deliveries as bigint) as misdated_deliveries,
    repositories.first_delivered_at,
    repositories.last_delivered_at,
    '{{ var("calculation_version") }}' as calculation_version
from repositories
left join pages on repositories.repository_id = pages.repository_id
