-- A commit that is found in two repositories counts once, where it was first delivered.

with reachable as (
    select * from {{ ref('stg_git__reachability') }}
    where is_reachable
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

deliveries as (
    select * from {{ ref('int_commit_deliveries') }}
),

candidates as (
    select
        reachable.commit_sha,
        reachable.repository_id,
        row_number() over (
            partition by reachable.commit_sha
            order by
                repositories.is_excluded, repositories.is_sandbox, deliveries.delivered_at nulls last,
                reachable.repository_id
        ) as choice
    from reachable
    inner join repositories on reachable.repository_id = repositories.repository_id
    left join deliveries
        on reachable.commit_sha = deliveries.commit_sha and reachable.repository_id = deliveries.repository_id
)

select
    commit_sha,
    repository_id
from candidates
where choice = 1
