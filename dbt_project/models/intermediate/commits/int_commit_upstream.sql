-- Commits that the parent of a fork has: those that merges of the parent brought, and those before the first of these
-- merges' common ancestor. A message alone proves no fork, because contributors merge the parent's main branch before they
-- push to the parent. So a fork is a repository that merges its parent repeatedly, and in which hardly any author of the
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
        author_name
    from {{ ref('stg_git__commits') }}
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
)

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
