-- Files that came in a new folder whose licence names only strangers.

with new_files as (
    select * from {{ ref('int_exclusions__arriving_files') }}
),

files as (
    select * from {{ ref('int_files__changes') }}
),

holders as (
    select * from {{ ref('int_exclusions__foreign_holders') }}
),

-- Files that name somebody of the project.
own_files as (
    select
        commit_sha,
        path,
        max(case when is_author then 1 else 0 end) = 1 as has_own_author
    from {{ ref('int_exclusions__holder_files') }}
    where is_known or is_own_name
    group by commit_sha, path
),

-- Licences of foundations name their own authors.
licence_files as (
    select
        files.repository_id,
        files.commit_sha,
        files.delivery_number,
        files.commit_number,
        {{ first_match('files.path', pattern_text('^.*/')) }} as folder,
        holders.holder,
        {{ replaced('lower(holders.holder)', pattern_text('[^a-z0-9]+'), "''") }} as holder_letters
    from files
    inner join holders on files.commit_sha = holders.commit_sha and files.path = holders.path
    where
        position('/' in files.path) > 0
        and {{ matches('lower(files.path)', pattern_text(var('foreign_licence_files'))) }}
        and holders.is_rare
        and holders.beside is null
        and not holders.is_by_author
        and not {{ matches('holders.holder', pattern_text(var('foreign_licence_authors'))) }}
),

-- The own product of a project or a company, whose people sign files there.
own_products as (
    select
        licence_files.commit_sha,
        licence_files.folder
    from licence_files
    inner join own_files
        on
            licence_files.commit_sha = own_files.commit_sha
            and licence_files.folder = substr(own_files.path, 1, length(licence_files.folder))
    where own_files.has_own_author
    union distinct
    select
        commit_sha,
        folder
    from licence_files
    where
        position(nullif({{ first_match('lower(folder)', pattern_text('([a-z0-9]{3,})[^/]*/$'), 1) }}, '') in holder_letters) > 0
        or position(nullif({{ first_match('lower(folder)', pattern_text('([a-z0-9]{3,})/$'), 1) }}, '') in holder_letters) > 0
),

-- Folders that came with the licence of strangers.
licences as (
    select
        licence_files.repository_id,
        licence_files.commit_sha,
        licence_files.delivery_number,
        licence_files.commit_number,
        licence_files.folder,
        min(licence_files.holder) as holder
    from licence_files
    left join own_products
        on licence_files.commit_sha = own_products.commit_sha and licence_files.folder = own_products.folder
    where own_products.folder is null
    group by
        licence_files.repository_id, licence_files.commit_sha, licence_files.delivery_number, licence_files.commit_number,
        licence_files.folder
),

-- The licence of a part may come to a folder of one's own.
older_folders as (
    select distinct
        licences.commit_sha,
        licences.folder
    from licences
    inner join files as earlier
        on
            licences.repository_id = earlier.repository_id
            and {{ comes_before('earlier', 'licences') }}
            and substr(earlier.path, 1, length(licences.folder)) = licences.folder
),

licensed as (
    select
        new_files.commit_sha,
        new_files.path,
        new_files.lines_added,
        new_files.has_holder_line,
        new_files.holder as file_holder,
        licences.folder,
        licences.holder
    from new_files
    inner join licences
        on
            new_files.commit_sha = licences.commit_sha
            and substr(new_files.path, 1, length(licences.folder)) = licences.folder
    left join older_folders
        on licences.commit_sha = older_folders.commit_sha and licences.folder = older_folders.folder
    where older_folders.folder is null and new_files.role not in ('build', 'configuration') and not new_files.is_of_project
),

licensed_folders as (
    select
        commit_sha,
        folder
    from licensed
    group by commit_sha, folder
    having sum(lines_added) >= {{ var('foreign_file_lines') }}
)

select
    licensed.commit_sha,
    licensed.path,
    min(licensed.folder) as folder,
    min_by(licensed.holder, licensed.folder) as holder
from licensed
inner join licensed_folders on licensed.commit_sha = licensed_folders.commit_sha and licensed.folder = licensed_folders.folder
-- Whoever is named in a file that came along has a part in it.
where not licensed.has_holder_line or licensed.file_holder is not null
group by licensed.commit_sha, licensed.path
