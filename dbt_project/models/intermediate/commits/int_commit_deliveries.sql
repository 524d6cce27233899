with deliveries as (
    select * from {{ ref('stg_git__deliveries') }}
),

commits as (
    select
        repository_id,
        delivery_sha,
        position as delivery_number,
        delivered_at,
        {{ each_numbered('commit_shas', 'commit_number', 'commit_sha') }}
    from deliveries
),

sized as (
    select
        repository_id,
        position as delivery_number,
        {{ appended('unrelated_shas', 'joining_shas') }} as foreign_shas,
        {{ size_of('unrelated_shas') }} as unrelated_commits,
        coalesce(sum({{ size_of('commit_shas') }}) over (
            partition by repository_id order by position rows between unbounded preceding and 1 preceding
        ), 0) as commits_before
    from deliveries
),

-- Of two histories without common ancestor, the one with fewer commits came from elsewhere; with equal numbers it is
-- the merged one. So if a repository began with a few commits and then merged the project's history, that history is
-- the main one. The merge that joins the smaller history belongs to it: where that merge moves files, their lines are
-- its own.
unrelated as (
    select
        repository_id,
        {{ each('foreign_shas') }} as commit_sha
    from sized
    where unrelated_commits between 1 and commits_before
),

outweighed as (
    select
        repository_id,
        max(delivery_number) as delivery_number
    from sized
    where unrelated_commits > commits_before
    group by repository_id
)

select
    commits.repository_id,
    commits.commit_sha,
    commits.delivery_sha,
    commits.delivery_number,
    commits.commit_number,
    commits.delivered_at,
    coalesce(
        unrelated.commit_sha is not null or commits.delivery_number < outweighed.delivery_number, false
    ) as is_unrelated_root
from commits
left join unrelated
    on commits.repository_id = unrelated.repository_id and commits.commit_sha = unrelated.commit_sha
left join outweighed on commits.repository_id = outweighed.repository_id
