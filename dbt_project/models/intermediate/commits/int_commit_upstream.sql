-- Commits that the parent of a fork has. Where a host calls a repository a fork, they are what the parent's branches
-- reach; where these are unknown, what is older than the fork, and what merges of the parent brought.
-- Without a host's word, they are what merges of the parent brought, and what stands before the first of these merges'
-- common ancestor. A message alone proves no fork, because contributors merge the parent's main branch before they push to
-- the parent. So such a fork is a repository that merges its parent repeatedly, and in which hardly any author of the
-- parent's part does other work.

with deliveries as (
    select * from {{ ref('stg_git__deliveries') }}
),

commits as (
    select
        repository_id,
        commit_sha,
        is_merge,
        author_email,
        author_name,
        committed_at
    from {{ ref('stg_git__commits') }}
),

reachability as (
    select
        repository_id,
        commit_sha
    from {{ ref('stg_git__reachability') }}
    where from_upstream
),

-- Two connections may reach one repository.
forks as (
    select
        runs.repository_id,
        min(hosted.created_at) as created_at
    from {{ ref('stg_git__repository_runs') }} as runs
    inner join {{ ref('stg_hosts__repositories') }} as hosted on lower(runs.origin) = hosted.origin
    where hosted.is_fork
    group by runs.repository_id
),

known_parents as (
    select distinct reachability.repository_id
    from reachability
    inner join forks on reachability.repository_id = forks.repository_id
),

older_commits as (
    select
        commits.repository_id,
        commits.commit_sha
    from commits
    inner join forks on commits.repository_id = forks.repository_id
    left join known_parents on commits.repository_id = known_parents.repository_id
    where known_parents.repository_id is null and commits.committed_at < forks.created_at
),

merged as (
    select
        repository_id,
        {{ each('upstream_shas') }} as commit_sha
    from deliveries
),

fork_points as (
    select
        repository_id,
        -- Later merges may contain what the fork gave to its parent.
        min(upstream_base) as fork_position
    from deliveries
    where {{ size_of('upstream_shas') }} > 0
    group by repository_id
    having count(*) >= {{ var('upstream_merges') }}
),

delivered as (
    select
        deliveries.repository_id,
        deliveries.position as delivery_number,
        {{ each('deliveries.commit_shas') }} as commit_sha
    from deliveries
    inner join fork_points on deliveries.repository_id = fork_points.repository_id
),

sided as (
    select
        delivered.repository_id,
        delivered.commit_sha,
        commits.is_merge,
        {{ compared_address('commits.author_email') }} as address,
        {{ compared_name('commits.author_name') }} as name,
        merged.commit_sha is not null as is_merged,
        merged.commit_sha is not null or delivered.delivery_number <= coalesce(fork_points.fork_position, -1) as is_upstream
    from delivered
    inner join fork_points on delivered.repository_id = fork_points.repository_id
    inner join commits
        on delivered.repository_id = commits.repository_id and delivered.commit_sha = commits.commit_sha
    left join merged
        on delivered.repository_id = merged.repository_id and delivered.commit_sha = merged.commit_sha
),

own_addresses as (
    select distinct
        repository_id,
        address
    from sided
    where not is_upstream and not is_merge and address <> ''
),

own_names as (
    select distinct
        repository_id,
        name
    from sided
    where not is_upstream and not is_merge and name <> ''
),

shared as (
    select
        sided.repository_id,
        count(*) as commits,
        count(case when own_addresses.address is not null or own_names.name is not null then 1 end) as by_own_people,
        count(case when sided.is_merged then 1 end) as merged_commits,
        count(
            case when sided.is_merged and (own_addresses.address is not null or own_names.name is not null) then 1 end
        ) as merged_by_own_people
    from sided
    left join own_addresses on sided.repository_id = own_addresses.repository_id and sided.address = own_addresses.address
    left join own_names on sided.repository_id = own_names.repository_id and sided.name = own_names.name
    where sided.is_upstream and not sided.is_merge
    group by sided.repository_id
),

by_merges as (
    select
        sided.repository_id,
        sided.commit_sha
    from sided
    inner join shared on sided.repository_id = shared.repository_id
    where
        sided.is_upstream
        -- Both, because a project's first people may have left long ago.
        and shared.merged_by_own_people * 1000000 <= shared.merged_commits * {{ var('upstream_own_people_share_micro') }}
        and shared.by_own_people * 1000000 <= shared.commits * {{ var('upstream_own_people_share_micro') }}
)

select
    reachability.repository_id,
    reachability.commit_sha
from reachability
inner join forks on reachability.repository_id = forks.repository_id
union distinct
select
    older_commits.repository_id,
    older_commits.commit_sha
from older_commits
union distinct
select
    merged.repository_id,
    merged.commit_sha
from merged
inner join forks on merged.repository_id = forks.repository_id
left join known_parents on merged.repository_id = known_parents.repository_id
where known_parents.repository_id is null
union distinct
select
    by_merges.repository_id,
    by_merges.commit_sha
from by_merges
left join known_parents on by_merges.repository_id = known_parents.repository_id
where known_parents.repository_id is null
