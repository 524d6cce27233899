-- Files of a new folder that is named like a file of others in it, such as `ckeditor/ckeditor.js`, and of which two thirds of the
-- lines are known to be of others: by a holder, a known library's name or lines, or because they are minified. What stands beside them
-- came with them. A folder whose file of that name nobody recognized may be one's own, with libraries inside.

with new_files as (
    select * from {{ ref('int_exclusions__arriving_files') }}
),

published as (
    select * from {{ ref('int_exclusions__published_files') }}
),

files as (
    select * from {{ ref('int_files__changes') }}
),

repositories as (
    select
        repository_id,
        {{ replaced('lower(name)', pattern_text('[^a-z0-9]+'), "''") }} as letters
    from {{ ref('int_repositories') }}
),

signed as (
    select new_files.*
    from new_files
    left join published on new_files.commit_sha = published.commit_sha and new_files.path = published.path
    where
        not new_files.is_of_project
        and (
            (new_files.holder is not null and new_files.beside is null)
            or new_files.is_named
            or published.path is not null
        )
),

above as (
    select distinct
        repository_id,
        commit_sha,
        path,
        delivery_number,
        commit_number,
        {{ each(distinct_of(words_of("replace(" ~ first_match('lower(path)', pattern_text('^(.*)/'), 1) ~ ", '/', ' ')"))) }} as folder_name
    from signed
),

folders as (
    select distinct
        above.repository_id,
        above.commit_sha,
        above.delivery_number,
        above.commit_number,
        above.folder_name,
        substr(above.path, 1, {{ length_above('above.path', 'above.folder_name') }}) as folder
    from above
    inner join repositories on above.repository_id = repositories.repository_id
    where
        length(above.folder_name) > 2
        and {{ length_above('above.path', 'above.folder_name') }} > 0
        and not {{ matches('above.folder_name', pattern_text(var('foreign_update_common_words'))) }}
        and position({{ replaced('above.folder_name', pattern_text('[^a-z0-9]+'), "''") }} in repositories.letters) = 0
),

members as (
    select
        folders.commit_sha,
        folders.folder,
        files.path,
        files.lines_added,
        signed.path is not null as is_signed,
        signed.path is not null or files.is_minified as is_of_others,
        position(concat(folders.folder_name, '.') in {{ first_match('lower(files.path)', pattern_text('[^/]*$')) }}) in (1, 2)
            as is_namesake,
        files.is_generated and not files.is_minified as is_left_out
    from folders
    inner join files
        on
            folders.commit_sha = files.commit_sha
            and folders.folder = substr(files.path, 1, length(folders.folder))
    left join signed on files.commit_sha = signed.commit_sha and files.path = signed.path
    where
        files.status = 'A'
        and files.role in ('source', 'test', 'documentation')
        and not files.is_binary
        and not files.is_vendored
),

-- A library may have been there before.
older as (
    select distinct
        folders.commit_sha,
        folders.folder
    from folders
    inner join files as earlier
        on
            folders.repository_id = earlier.repository_id
            and {{ comes_before('earlier', 'folders') }}
            and substr(earlier.path, 1, length(folders.folder)) = folders.folder
),

brought as (
    select
        members.commit_sha,
        members.folder
    from members
    left join older on members.commit_sha = older.commit_sha and members.folder = older.folder
    where older.folder is null
    group by members.commit_sha, members.folder
    having
        bool_or(members.is_namesake and members.is_signed)
        and not bool_or(members.is_namesake and not members.is_of_others and not members.is_left_out)
        and sum(case when members.is_signed then 1 else 0 end) > 1
        and sum(case when members.is_signed then members.lines_added else 0 end) >= {{ var('foreign_file_lines') }}
        and {{ wide('sum(case when members.is_of_others then members.lines_added else 0 end)') }} * 1000000
        >= {{ wide('sum(case when members.is_left_out then 0 else members.lines_added end)') }} * {{ var('foreign_named_folder_micro') }}
)

select
    new_files.commit_sha,
    new_files.path,
    min(brought.folder) as folder
from new_files
inner join brought
    on new_files.commit_sha = brought.commit_sha and substr(new_files.path, 1, length(brought.folder)) = brought.folder
where new_files.role not in ('build', 'configuration') and not new_files.is_of_project
group by new_files.commit_sha, new_files.path
