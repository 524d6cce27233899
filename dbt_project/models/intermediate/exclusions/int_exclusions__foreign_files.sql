-- Files that a commit brought in whole from another project: by the name of a widely known library, because the subject says
-- so, or because their copyright lines, or else their lines of authors, name only strangers. A file with one of the two
-- weaker signs is hardly changed by its author afterwards; a library that is worked on becomes own work.

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

holders as (
    select * from {{ ref('int_exclusions__foreign_holders') }}
),

new_files as (
    select
        files.commit_sha,
        files.path,
        files.original_path,
        files.repository_id,
        delivered.developer_id,
        delivered.authored_micros,
        commits.subject,
        lower(repositories.name) as repository_name,
        files.lines_added,
        files.role,
        holders.holder,
        holders.holder_files,
        holders.repository_files,
        holders.is_by_author,
        -- Text before the name, with the last slash.
        {{ first_match('files.path', pattern_text('^.*/')) }} as folder,
        {{ first_match('lower(files.path)', pattern_text('[^/]*$')) }} as file_name
    from files
    inner join roles on files.role = roles.role
    inner join delivered on files.commit_sha = delivered.commit_sha
    inner join commits on files.commit_sha = commits.commit_sha
    inner join repositories on files.repository_id = repositories.repository_id
    -- Documents quote and carry the copyright of others.
    left join holders
        on files.commit_sha = holders.commit_sha and files.path = holders.path and files.role in ('source', 'test')
    where files.commit_status = 'A' and not {{ is_worthless_file('files') }}
),

-- Files without a copyright line come with their folder.
folders as (
    select
        commit_sha,
        folder,
        min(holder) as holder,
        max(holder_files) as holder_files,
        max(repository_files) as repository_files,
        count(case when not is_by_author then 1 end) = 0 as is_by_author
    from new_files
    group by commit_sha, folder
    having
        count(holder) > 1
        and sum(case when holder is not null then lines_added else 0 end) * 2 > sum(lines_added)
),

named_files as (
    select
        commit_sha,
        path
    from {{ ref('stg_git__copyrights') }}
    where not is_author
    group by commit_sha, path
),

held as (
    select
        commit_sha,
        holder,
        sum(lines_added) as lines_added
    from new_files
    where holder is not null
    group by commit_sha, holder
),

arrived as (
    select
        new_files.commit_sha,
        new_files.path,
        new_files.original_path,
        new_files.repository_id,
        new_files.developer_id,
        new_files.authored_micros,
        new_files.subject,
        new_files.repository_name,
        new_files.file_name,
        new_files.lines_added,
        coalesce(new_files.holder, folders.holder) as holder,
        coalesce(new_files.holder_files, folders.holder_files) as holder_files,
        coalesce(new_files.repository_files, folders.repository_files) as repository_files,
        coalesce(new_files.is_by_author, folders.is_by_author) as is_by_author,
        new_files.holder is null as is_by_folder
    from new_files
    left join named_files on new_files.commit_sha = named_files.commit_sha and new_files.path = named_files.path
    left join folders
        on
            new_files.commit_sha = folders.commit_sha
            and new_files.folder = folders.folder
            and new_files.role in ('source', 'test')
            and named_files.path is null
    left join held on new_files.commit_sha = held.commit_sha and new_files.holder = held.holder
    -- The small files of a library come with the large ones.
    where greatest(new_files.lines_added, coalesce(held.lines_added, 0)) >= {{ var('foreign_file_lines') }}
),

judged as (
    select
        *,
        -- The repository of the library itself has its name. GoogleTest and GoogleMock shorten theirs in files.
        {{ matches('file_name', pattern_text(var('foreign_file_names'))) }}
        and position(
            {{ first_match('file_name', pattern_text('^[a-z]+')) }} in concat(repository_name, ' ', replace(repository_name, 'google', 'g'))
        ) = 0 as is_named,
        {{ matches('lower(subject)', pattern_text(var('foreign_subjects'))) }} as is_told
    from arrived
),

signed as (
    select
        *,
        is_named or (is_told and holder is not null) as is_sure,
        case
            when is_named then concat('named like a known library: ', file_name)
            when is_told
                then concat('the subject says that it comes from elsewhere: ', substr(subject, 1, 100))
            when holder is not null
                then concat(
                    case when is_by_folder then 'its folder came with files that name ' else 'names ' end, holder,
                    case when is_by_author then ' as author, as ' else ' as copyright holder, as ' end, cast(holder_files as {{ dbt.type_string() }}), ' of ',
                    cast(repository_files as {{ dbt.type_string() }}), ' files do'
                )
        end as sign
    from judged
),

found as (
    select * from signed
    where sign is not null
),

touched as (
    select
        found.commit_sha,
        found.path,
        count(*) as changes,
        sum(files.lines_added) as lines_added
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
),

kept as (
    select found.*
    from found
    left join touched on found.commit_sha = touched.commit_sha and found.path = touched.path
    where
        coalesce(touched.changes, 0) <= {{ var('foreign_file_changes') }}
        or (
            found.is_sure
            and {{ wide('touched.lines_added') }} * 1000000
            <= {{ wide('found.lines_added') }} * {{ var('foreign_file_reworked_micro') }}
        )
)

-- A branch may have moved the file before it was delivered.
select
    kept.commit_sha,
    files.path,
    min(kept.sign) as sign
from kept
inner join files on kept.commit_sha = files.commit_sha and kept.original_path = files.original_path
group by kept.commit_sha, files.path
