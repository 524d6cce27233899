-- Commits over the limit of the organization's plan. Commits are numbered only under a limit.

with organization as (
    select * from {{ ref('int_organization') }}
    where is_commit_limited
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

grants as (
    select * from {{ ref('stg_control__commit_grants') }}
),

commits as (
    select * from {{ ref('int_commit_deliveries') }}
),

limited as (
    select
        repositories.repository_id,
        grants.first_number,
        grants.last_number
    from repositories
    cross join organization
    left join grants on repositories.repository_id = grants.repository_id
),

numbered as (
    select
        commits.repository_id,
        commits.commit_sha,
        limited.first_number,
        limited.last_number,
        row_number() over (
            partition by commits.repository_id order by commits.delivery_number, commits.commit_number
        ) as number
    from commits
    inner join limited on commits.repository_id = limited.repository_id
)

select
    repository_id,
    commit_sha
from numbered
where first_number is null or number < first_number or number > last_number
