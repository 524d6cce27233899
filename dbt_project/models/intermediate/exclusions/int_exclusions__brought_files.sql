-- Files that came from elsewhere, each with the commit of its first arrival and the reason. Signs and the lines of a known library
-- tell that it is of others. A file that came by an import may be own, and so may one that left a folder of third-party code.

with arrivals as (
    select * from {{ ref('int_exclusions__foreign_arrivals') }}
),

published as (
    select * from {{ ref('int_exclusions__published_files') }}
),

imports as (
    select * from {{ ref('int_exclusions__commits') }}
    where rule is not null and not is_waiting
),

decisions as (
    select * from {{ ref('int_exclusions__decisions') }}
),

changes as (
    select * from {{ ref('int_files__changes') }}
),

-- As long as the file stands in such a folder, no change of it counts.
left_folders as (
    select distinct
        repository_id,
        original_path
    from changes
    where not is_vendored and original_path <> path
),

found as (
    select
        repository_id,
        commit_sha,
        path,
        original_path,
        delivery_number,
        commit_number,
        'SIGN' as reason,
        is_sure
    from arrivals
    union all
    select
        changes.repository_id,
        changes.commit_sha,
        changes.path,
        changes.original_path,
        changes.delivery_number,
        changes.commit_number,
        'KNOWN_LINES' as reason,
        false as is_sure
    from changes
    inner join published on changes.commit_sha = published.commit_sha and changes.path = published.path
    where changes.status = 'A'
    union all
    select
        changes.repository_id,
        changes.commit_sha,
        changes.path,
        changes.original_path,
        changes.delivery_number,
        changes.commit_number,
        'VENDORED' as reason,
        false as is_sure
    from changes
    inner join left_folders
        on changes.repository_id = left_folders.repository_id and changes.original_path = left_folders.original_path
    where changes.status = 'A' and changes.is_vendored
    union all
    select
        changes.repository_id,
        changes.commit_sha,
        changes.path,
        changes.original_path,
        changes.delivery_number,
        changes.commit_number,
        'IMPORT' as reason,
        false as is_sure
    from changes
    inner join imports on changes.repository_id = imports.repository_id and changes.commit_sha = imports.commit_sha
    left join decisions on changes.commit_sha = decisions.commit_sha
    where changes.status = 'A' and (decisions.commit_sha is null or decisions.is_excluded)
),

-- A file may arrive again.
ranked as (
    select
        *,
        reason in ('SIGN', 'KNOWN_LINES') as is_foreign,
        count(case when is_sure then 1 end) over (partition by repository_id, original_path) > 0 as is_ever_sure,
        row_number() over (
            partition by repository_id, original_path
            order by
                case when reason in ('SIGN', 'KNOWN_LINES') then 1 else 2 end,
                delivery_number, commit_number, reason desc, commit_sha, path
        ) as place
    from found
)

select
    repository_id,
    original_path,
    commit_sha,
    path,
    delivery_number,
    commit_number,
    reason,
    is_foreign,
    is_ever_sure as is_sure
from ranked
where place = 1
