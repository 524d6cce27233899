-- Commits over the limit of the organization's plan. Commits are numbered only under a limit. A commit that several
-- repositories have is analysed in all of them where the plan permits one.

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
),

permitted as (
    select commit_sha
    from numbered
    where number between first_number and last_number
)

select
    repository_id,
    commit_sha
from numbered
where commit_sha not in (select commit_sha from permitted)
