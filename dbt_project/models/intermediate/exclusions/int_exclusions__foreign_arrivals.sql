-- Files that a commit brought in whole from another project: by the name of a widely known library or the company of its
-- files, in a new folder whose licence names only strangers, because the subject says so, or because their copyright lines,
-- or else their lines of authors, name only strangers, or a stranger with earlier years beside somebody of the project. A
-- file with one weaker sign alone is hardly changed by its author afterwards, unless the years of all strangers were over
-- before it came; a library that is worked on becomes own work.

with new_files as (
    select
        *,
        {{ first_match('file_name', pattern_text('^_?([^.]{3,})[.]'), 1) }} as stem
    from {{ ref('int_exclusions__arriving_files') }}
),

files as (
    select * from {{ ref('int_files__changes') }}
),

companions as (
    select * from {{ ref('int_exclusions__companions') }}
),

licensed_files as (
    select * from {{ ref('int_exclusions__licensed_files') }}
),

named_folders as (
    select * from {{ ref('int_exclusions__named_folders') }}
),

developers as (
    select
        commit_sha,
        developer_id
    from {{ ref('int_commit_credits') }}
    where place = 1
),

-- A feature extends folders that exist.
extended as (
    select distinct new_files.commit_sha
    from new_files
    inner join files as earlier
        on
            new_files.repository_id = earlier.repository_id
            and {{ comes_before('earlier', 'new_files') }}
            and substr(earlier.path, 1, length(coalesce(new_files.folder, ''))) = coalesce(new_files.folder, '')
    where
        new_files.is_told_moved
        -- Documents move in under a folder that is there.
        and not (new_files.is_told_moved_here and {{ matches('lower(new_files.subject)', pattern_text('\\b(docs?|documents?|documentation|wiki|guides?|manuals?)\\b')) }})
),

-- What moved in came together, however small its files are.
moved as (
    select
        new_files.commit_sha,
        count(*) as files,
        sum(new_files.lines_added) as lines_added
    from new_files
    left join extended on new_files.commit_sha = extended.commit_sha
    where new_files.is_told_moved and extended.commit_sha is null
    group by new_files.commit_sha
),

-- Files without a copyright line come with their folder, unless each stranger signs one.
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
        count(case when beside is null then holder end) > count(distinct case when beside is null then holder end)
        and sum(case when holder is not null and beside is null then lines_added else 0 end) * 2 > sum(lines_added)
),

-- A library's styles and scripts have one name up to the first dot, and not all of its styles state a copyright. A script of the
-- name may be one's own test or story of it.
namesakes as (
    select
        commit_sha,
        folder,
        stem,
        min(holder) as holder,
        max(holder_files) as holder_files,
        max(repository_files) as repository_files
    from new_files
    where holder is not null and beside is null and not is_by_author and role = 'source'
    group by commit_sha, folder, stem
),

held as (
    select
        commit_sha,
        holder,
        count(case when not is_by_author and beside is null then 1 end) as files,
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
        new_files.delivery_number,
        new_files.commit_number,
        new_files.authored_micros,
        new_files.subject,
        new_files.file_name,
        new_files.is_named,
        coalesce(companions.library_folder, named_folders.folder) as library_folder,
        companions.page_folder,
        companions.bundle,
        coalesce(companions.has_history_elsewhere, false) as has_history_elsewhere,
        coalesce(companions.is_continued, false) as is_continued,
        licensed_files.folder as licensed_folder,
        licensed_files.holder as licence_holder,
        new_files.lines_added,
        coalesce(new_files.holder, folders.holder, namesakes.holder) as holder,
        coalesce(new_files.holder_files, folders.holder_files, namesakes.holder_files) as holder_files,
        coalesce(new_files.repository_files, folders.repository_files, namesakes.repository_files) as repository_files,
        coalesce(new_files.is_by_author, folders.is_by_author, false) as is_by_author,
        new_files.holder is null and folders.holder is not null as is_by_folder,
        new_files.holder is null and folders.holder is null as is_by_name,
        new_files.beside,
        new_files.is_told_adapted,
        new_files.is_copied,
        moved.files >= {{ var('foreign_moved_files') }}
        or (moved.files > 0 and new_files.holder is not null) as is_moved,
        new_files.is_elder,
        coalesce(held.files >= {{ var('foreign_library_files') }} and new_files.beside is null, false) as is_one_of_several
    from new_files
    left join folders
        on
            new_files.commit_sha = folders.commit_sha
            and new_files.folder = folders.folder
            and new_files.role in ('source', 'test')
            and not new_files.is_of_project
            and not new_files.has_holder_line
    left join namesakes
        on
            new_files.commit_sha = namesakes.commit_sha
            and new_files.folder = namesakes.folder
            and new_files.stem = namesakes.stem
            and new_files.role = 'source'
            and {{ matches('new_files.file_name', pattern_text('[.](css|less|s[ac]ss|styl)$')) }}
            and not new_files.is_of_project
            and not new_files.has_holder_line
    left join held on new_files.commit_sha = held.commit_sha and new_files.holder = held.holder
    left join moved on new_files.commit_sha = moved.commit_sha and new_files.is_told_moved
    left join companions on new_files.commit_sha = companions.commit_sha and new_files.path = companions.path
    left join licensed_files on new_files.commit_sha = licensed_files.commit_sha and new_files.path = licensed_files.path
    left join named_folders on new_files.commit_sha = named_folders.commit_sha and new_files.path = named_folders.path
    -- The small files of a library come with the large ones.
    where
        greatest(new_files.lines_added, coalesce(held.lines_added, 0), coalesce(moved.lines_added, 0))
        >= {{ var('foreign_file_lines') }}
        or ((new_files.has_known_name or new_files.is_elder or new_files.beside is not null) and new_files.lines_added >= {{ var('foreign_named_lines') }})
        or companions.path is not null
        or licensed_files.path is not null
        or named_folders.path is not null
),

signed as (
    select
        *,
        is_named
        or page_folder is not null
        or bundle is not null
        or library_folder is not null
        or licensed_folder is not null
        or ((is_copied or coalesce(is_moved, false)) and holder is not null)
        or is_told_adapted
        or is_elder
        or is_one_of_several as is_sure,
        case
            when is_named then concat('named like a known library: ', file_name)
            when page_folder is not null
                then concat('came with the pages that a tool wrote in ', coalesce(nullif(page_folder, ''), 'the root folder'))
            when bundle is not null then bundle
            when library_folder is not null
                then concat(
                    'came with the files of a known library in ', coalesce(nullif(library_folder, ''), 'the root folder')
                )
            when licensed_folder is not null
                then concat('came in ', licensed_folder, ' with the licence of ', licence_holder)
            when is_copied or is_moved
                then concat('the subject says that it comes from elsewhere: ', substr(subject, 1, 100))
            when beside is not null
                then concat(
                    'names ', holder, ' with earlier years beside ', beside, ', as ', {{ with_thousands('holder_files') }}, ' of ',
                    {{ with_thousands('repository_files') }}, ' files do'
                )
            when holder is not null
                then concat(
                    case
                        when is_by_folder then 'its folder came with files that name '
                        when is_by_name then 'came with a file of its name that names '
                        else 'names '
                    end, holder,
                    case when is_by_author then ' as author, as ' else ' at the top, as ' end, {{ with_thousands('holder_files') }}, ' of ',
                    {{ with_thousands('repository_files') }}, ' files do'
                )
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
        count(*) as changes,
        sum(files.lines_added) as lines_added
    from found
    inner join developers as bringers on found.commit_sha = bringers.commit_sha
    inner join files
        on
            found.repository_id = files.repository_id
            and found.original_path = files.original_path
            and found.commit_sha <> files.commit_sha
            and found.authored_micros <= files.authored_micros
            and found.authored_micros + {{ window_micros() }} >= files.authored_micros
    inner join developers as changers
        on files.commit_sha = changers.commit_sha and bringers.developer_id = changers.developer_id
    where files.status <> 'D'
    group by found.commit_sha, found.path
)

select
    found.repository_id,
    found.commit_sha,
    found.path,
    found.original_path,
    found.delivery_number,
    found.commit_number,
    found.is_sure and not found.is_continued as is_sure,
    found.sign
from found
left join touched on found.commit_sha = touched.commit_sha and found.path = touched.path
where
    coalesce(touched.changes, 0) <= {{ var('foreign_file_changes') }}
    or found.has_history_elsewhere
    or (
        found.is_sure
        and {{ wide('touched.lines_added') }} * 1000000
        <= {{ wide('found.lines_added') }} * {{ var('foreign_file_reworked_micro') }}
    )
