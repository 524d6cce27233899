-- Files that a commit brought in whole from another project: by the name of a widely known library, or because the subject
-- says so. The author hardly changes such a file afterwards; a library that is worked on becomes own work.

with files as (
    select * from {{ ref('int_files') }}
),

roles as (
    select * from {{ ref('role_factors') }}
    where factor_micro > 0
),

delivered as (
    select * from {{ ref('int_delivered_commits') }}
),

commits as (
    select
        commit_sha,
        subject
    from {{ ref('int_commits') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

arrived as (
    select
        files.commit_sha,
        files.path,
        files.original_path,
        files.repository_id,
        delivered.developer_id,
        delivered.authored_micros,
        commits.subject,
        lower(repositories.name) as repository_name,
        {{ first_match('lower(files.path)', pattern_text('[^/]*$')) }} as file_name
    from files
    inner join roles on files.role = roles.role
    inner join delivered on files.commit_sha = delivered.commit_sha
    inner join commits on files.commit_sha = commits.commit_sha
    inner join repositories on files.repository_id = repositories.repository_id
    where
        files.commit_status = 'A'
        and files.lines_added >= {{ var('foreign_file_lines') }}
        and not {{ is_worthless_file('files') }}
),

signed as (
    select
        *,
        case
            -- The repository of the library itself has its name.
            when
                {{ matches('file_name', pattern_text(var('foreign_file_names'))) }}
                and position({{ first_match('file_name', pattern_text('^[a-z]+')) }} in repository_name) = 0
                then concat('named like a known library: ', file_name)
            when {{ matches('lower(subject)', pattern_text(var('foreign_subjects'))) }}
                then concat('the subject says that it comes from elsewhere: ', substr(subject, 1, 100))
        end as sign
    from arrived
),

found as (
    select * from signed
    where sign is not null
),

touched as (
    select
        found.commit_sha,
        found.path,
        count(*) as changes
    from found
    inner join files
        on
            found.repository_id = files.repository_id
            and found.original_path = files.original_path
            and files.commit_status <> 'D'
    inner join delivered
        on
            files.commit_sha = delivered.commit_sha
            and found.developer_id = delivered.developer_id
            and found.commit_sha <> delivered.commit_sha
            and found.authored_micros <= delivered.authored_micros
            and found.authored_micros + {{ window_micros() }} >= delivered.authored_micros
    group by found.commit_sha, found.path
)

select
    found.commit_sha,
    found.path,
    found.sign
from found
left join touched on found.commit_sha = touched.commit_sha and found.path = touched.path
where coalesce(touched.changes, 0) <= {{ var('foreign_file_changes') }}
