-- Git keeps no history of branches, so a deleted or merged one leaves the occurrences.

with branches as (
    select * from {{ ref('int_checks__branches') }}
),

commits as (
    select * from {{ ref('fct_commits') }}
    where not is_bot
),

organization as (
    select * from {{ ref('int_organization') }}
),

digests as (
    select
        branches.*,
        commits.developer_id,
        {{ uuid5_digest(
            'organization.organization_id', "concat('branch:', branches.repository_id, ' ', branches.branch)"
        ) }} as digest
    from branches
    inner join commits on branches.head_sha = commits.commit_sha
    cross join organization
)

select
    'branch' as subject_type,
    {{ uuid5_of_digest('digest') }} as subject_id,
    repository_id,
    developer_id,
    committed_at as started_at,
    {{ endless() }},
    cast(null as bigint) as value_micro,
    branch as subject_title
from digests
