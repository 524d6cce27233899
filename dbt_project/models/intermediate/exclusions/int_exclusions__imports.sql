-- Commits that bring in code from elsewhere: too many new files or lines of one author within the window. What is brought
-- into repositories that are left out, or into sandboxes, says nothing about work elsewhere.

with files as (
    select * from {{ ref('int_files') }}
),

roles as (
    select * from {{ ref('role_factors') }}
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

additions as (
    select
        files.commit_sha,
        cast(sum(case when files.status = 'A' then 1 else 0 end) as bigint) as new_files,
        cast(sum(files.novel_lines) as bigint) as new_lines
    from files
    inner join roles on files.role = roles.role
    where files.novel_lines > 0 and roles.factor_micro > 0 and not {{ is_worthless_file('files') }}
    group by files.commit_sha
),

dated as (
    select
        additions.commit_sha,
        commits.developer_id,
        repositories.is_excluded,
        repositories.is_sandbox,
        commits.delivered_micros,
        additions.new_files,
        additions.new_lines
    from additions
    inner join commits on additions.commit_sha = commits.commit_sha
    inner join repositories on commits.repository_id = repositories.repository_id
),

-- Windows that end with a commit …
sums as (
    select
        *,
        sum(new_files) over (
            partition by developer_id, is_excluded, is_sandbox order by delivered_micros
            range between {{ window_micros() }} preceding and current row
        ) as window_files,
        sum(new_lines) over (
            partition by developer_id, is_excluded, is_sandbox order by delivered_micros
            range between {{ window_micros() }} preceding and current row
        ) as window_lines
    from dated
),

-- … and the largest of those that a commit lies in.
largest as (
    select
        *,
        max(window_files) over (
            partition by developer_id, is_excluded, is_sandbox order by delivered_micros
            range between current row and {{ window_micros() }} following
        ) as most_files,
        max(window_lines) over (
            partition by developer_id, is_excluded, is_sandbox order by delivered_micros
            range between current row and {{ window_micros() }} following
        ) as most_lines
    from sums
)

select commit_sha
from largest
where
    (most_files > {{ var('import_new_files') }} and new_files > 0)
    or (
        most_lines > {{ var('import_new_lines') }}
        and (new_files > 0 or new_lines >= {{ var('import_small_change_lines') }})
    )
union
select commit_sha
from commits
where
    is_unrelated_root
    or (is_root and files_changed > {{ var('import_root_files') }})
