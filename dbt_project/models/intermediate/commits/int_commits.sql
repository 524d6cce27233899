with commits as (
    select * from {{ ref('stg_git__commits') }}
),

homes as (
    select * from {{ ref('int_commit_homes') }}
),

deliveries as (
    select * from {{ ref('int_commit_deliveries') }}
),

organization as (
    select * from {{ ref('int_organization') }}
)

select
    commits.commit_id,
    commits.commit_sha,
    commits.repository_id,
    commits.is_merge,
    {{ size_of('commits.parent_shas') }} = 0 as is_root,
    trim(commits.author_name) as author_name,
    {{ compared_address('commits.author_email') }} as author_address,
    {{ compared_address('commits.committer_email') }} as committer_address,
    commits.authored_at,
    commits.committed_at,
    commits.files_changed,
    deliveries.delivery_sha,
    deliveries.delivery_number,
    deliveries.commit_number,
    deliveries.delivered_at,
    cast({{ local_time('organization.time_zone', 'deliveries.delivered_at') }} as date) as delivered_on,
    coalesce(deliveries.is_unrelated_root, false) as is_unrelated_root
from commits
inner join homes
    on commits.commit_sha = homes.commit_sha and commits.repository_id = homes.repository_id
left join deliveries
    on commits.commit_sha = deliveries.commit_sha and commits.repository_id = deliveries.repository_id
cross join organization
