-- Commits with the first code of a history: the work of months came with them. A root commit with many files, or the first
-- commit with code among the first ones, if it brings many files of code. Pictures and other files without lines that count
-- say nothing of where the code came from. Documents and data beside the first code are those of its author.

with commits as (
    select * from {{ ref('int_commits') }}
    where delivery_sha is not null
),

files as (
    select * from {{ ref('int_files__changes') }}
),

roles as (
    select * from {{ ref('role_factors') }}
    where factor_micro > 0
),

-- A host writes a readme, a licence or a list of ignored files before people begin.
in_order as (
    select
        commit_sha,
        repository_id,
        is_root,
        row_number() over (partition by repository_id order by delivery_number, commit_number) as place
    from commits
),

sizes as (
    select
        files.commit_sha,
        files.repository_id,
        count(*) as files,
        sum(case when files.role in ('source', 'test') then 1 else 0 end) as changed_code_files,
        sum(case when files.role in ('source', 'test') and files.status = 'A' and files.lines_added > 0 then 1 else 0 end)
            as code_files
    from files
    inner join roles on files.role = roles.role
    where files.status <> 'D' and not {{ is_worthless_file('files') }}
    group by files.commit_sha, files.repository_id
),

placed as (
    select
        sizes.*,
        in_order.is_root,
        in_order.place,
        min(case when sizes.changed_code_files > 0 then in_order.place end) over (partition by sizes.repository_id) as first_place
    from sizes
    inner join in_order on sizes.commit_sha = in_order.commit_sha and sizes.repository_id = in_order.repository_id
)

select
    commit_sha,
    repository_id
from placed
where
    (is_root and files > {{ var('import_root_files') }})
    or (
        place = first_place
        and place <= {{ var('import_root_commits') }}
        and code_files > {{ var('import_root_files') }}
    )
