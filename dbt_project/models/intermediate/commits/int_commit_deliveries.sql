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
        unrelated_shas,
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
        delivery_number,
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
),

-- The main history is part -1, the one that it outweighs part -2, the others are named after the deliveries that merged
-- them.
divided as (
    select
        commits.repository_id,
        commits.commit_sha,
        case
            when unrelated.commit_sha is not null then unrelated.delivery_number
            when commits.delivery_number < outweighed.delivery_number then -2
            else -1
        end as part
    from commits
    left join unrelated
        on commits.repository_id = unrelated.repository_id and commits.commit_sha = unrelated.commit_sha
    left join outweighed on commits.repository_id = outweighed.repository_id
    where commits.repository_id in (select repository_id from sized where unrelated_commits > 0)
),

people as (
    select
        divided.repository_id,
        divided.part,
        {{ compared_name('written.author_name') }} as name,
        count(*) as commits
    from divided
    inner join {{ ref('stg_git__commits') }} as written
        on divided.repository_id = written.repository_id and divided.commit_sha = written.commit_sha
    where not written.is_merge
    group by divided.repository_id, divided.part, {{ compared_name('written.author_name') }}
),

shared as (
    select
        repository_id,
        part,
        commits,
        sum(case when part = -1 then commits else 0 end) over (partition by repository_id) as main_commits,
        sum(case when part = -1 then commits else 0 end) over (partition by repository_id, name) as elsewhere
    from people
),

-- A history whose people wrote as much in the main one is no foreign code. Nor is one of which people of the main one wrote
-- most, if they wrote most of the main one too: guides have many writers who never touch the code.
own as (
    select
        repository_id,
        part
    from shared
    where part <> -1
    group by repository_id, part
    having
        sum(least(commits, elsewhere)) * 1000000
        >= least(sum(commits), max(main_commits)) * {{ var('import_own_people_share_micro') }}
        or (
            sum(case when elsewhere >= {{ var('import_own_people_commits') }} then commits else 0 end) * 1000000
            >= sum(commits) * {{ var('import_own_people_share_micro') }}
            and sum(case when elsewhere >= {{ var('import_own_people_commits') }} then elsewhere else 0 end) * 1000000
            >= max(main_commits) * {{ var('import_own_people_share_micro') }}
        )
),

unrelated_each as (
    select
        sized.repository_id,
        sized.delivery_number,
        {{ each_numbered('sized.unrelated_shas', 'commit_number', 'commit_sha') }}
    from sized
    inner join own on sized.repository_id = own.repository_id and sized.delivery_number = own.part
),

-- Its commits have the times at which they were delivered there, not that of the merge.
own_times as (
    select
        unrelated_each.repository_id,
        unrelated_each.commit_sha,
        max(written.committed_at) over (
            partition by unrelated_each.repository_id, unrelated_each.delivery_number
            order by unrelated_each.commit_number rows between unbounded preceding and current row
        ) as delivered_at
    from unrelated_each
    inner join {{ ref('stg_git__commits') }} as written
        on
            unrelated_each.repository_id = written.repository_id
            and unrelated_each.commit_sha = written.commit_sha
)

select
    commits.repository_id,
    commits.commit_sha,
    commits.delivery_sha,
    commits.delivery_number,
    commits.commit_number,
    least(commits.delivered_at, coalesce(own_times.delivered_at, commits.delivered_at)) as delivered_at,
    coalesce(divided.part <> -1 and own.part is null, false) as is_unrelated_root
from commits
left join divided on commits.repository_id = divided.repository_id and commits.commit_sha = divided.commit_sha
left join own on divided.repository_id = own.repository_id and divided.part = own.part
left join own_times on commits.repository_id = own_times.repository_id and commits.commit_sha = own_times.commit_sha
