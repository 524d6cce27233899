-- Files that a commit brought in whole from another project: by the name of a widely known library, because they come with
-- several files of such a library in a folder of its name, as the style sheets and scripts of pages that a tool wrote, in a new
-- folder whose licence names only strangers, because the subject says so, or because their copyright lines, or else their lines of authors, name only strangers, or a stranger with
-- earlier years beside somebody of the project. A file with one weaker sign alone is hardly changed by its author afterwards,
-- unless the years of all strangers were over before it came; a library that is worked on becomes own work.

with files as (
    select * from {{ ref('int_files__changes') }}
),

roles as (
    select * from {{ ref('role_factors') }}
    where factor_micro > 0
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

subjects as (
    select
        commit_sha,
        subject,
        lower(subject) as words
    from {{ ref('int_commits') }}
),

-- What the subject says.
commits as (
    select
        commit_sha,
        subject,
        {{ matches('words', pattern_text(var('foreign_subjects'))) }} as is_copied,
        {{ matches('words', pattern_text(var('foreign_adapted_subjects'))) }} as is_adapted,
        {{ matches('words', pattern_text(var('foreign_moved_subjects'))) }}
        and not {{ matches('words', pattern_text(var('foreign_moved_features'))) }} as is_moved,
        {{ matches('words', pattern_text(var('foreign_moved_wiki_subjects'))) }}
        and not {{ matches('words', pattern_text(var('foreign_moved_features'))) }} as is_moved_from_wiki
    from subjects
),

developers as (
    select
        commit_sha,
        developer_id
    from {{ ref('int_commit_credits') }}
    where place = 1
),

holders as (
    select * from {{ ref('int_exclusions__foreign_holders') }}
),

names as (
    select
        files.*,
        commits.subject,
        commits.is_copied,
        commits.is_adapted,
        commits.is_moved or (commits.is_moved_from_wiki and files.role = 'documentation') as is_told_moved,
        lower(repositories.name) as repository_name,
        -- Text before the name, and after it.
        {{ first_match('files.path', pattern_text('^.*/')) }} as folder,
        {{ first_match('lower(files.path)', pattern_text('[^/]*$')) }} as file_name,
        {{ first_match('lower(files.previous_path)', pattern_text('[^/]*$')) }} as previous_name
    from files
    inner join roles on files.role = roles.role
    inner join commits on files.commit_sha = commits.commit_sha
    inner join repositories on files.repository_id = repositories.repository_id
    where files.status in ('A', 'R') and not {{ is_worthless_file('files') }}
),

known as (
    select
        *,
        {{ matches('file_name', pattern_text(var('foreign_file_names'))) }} as has_known_name,
        case
            when {{ matches('lower(path)', pattern_text(var('foreign_library_parts'))) }} then {{ first_match('lower(path)', pattern_text(var('foreign_library_parts')), 2) }}
            else {{ first_match('file_name', pattern_text('^_?([a-z][0-9]?[a-z]*)'), 1) }}
        end as library,
        {{ matches('lower(path)', pattern_text(var('foreign_library_parts'))) }} as is_part,
        -- The file with the project's name may begin with a piece of others.
        {{ first_match('file_name', pattern_text('^[^.]*')) }} = {{ first_match('repository_name', pattern_text('[a-z0-9._-]*$')) }} as is_of_project
    from names
),

new_files as (
    select
        known.*,
        -- The library's own repository has its name. GoogleTest and GoogleMock shorten theirs in files.
        (known.has_known_name or known.is_part)
        and position(
            known.library in concat(known.repository_name, ' ', replace(known.repository_name, 'google', 'g'))
        ) = 0 as is_of_library,
        holders.holder,
        holders.holder_files,
        holders.repository_files,
        holders.is_by_author,
        holders.beside,
        coalesce(holders.is_elder, false) as is_elder,
        holders.beside is not null and known.is_adapted as is_told_adapted
    from known
    -- Documents quote and carry the copyright of others; their styles and scripts are code.
    left join holders
        on
            known.commit_sha = holders.commit_sha
            and known.path = holders.path
            and (
                known.role in ('source', 'test')
                or (
                    known.role = 'documentation'
                    and (
                        {{ matches('lower(known.path)', pattern_text(var('foreign_styles'))) }}
                        or (
                            {{ matches('lower(known.path)', pattern_text(var('foreign_samples'))) }}
                            and not {{ matches('lower(known.path)', pattern_text(var('foreign_samples_prose'))) }}
                        )
                    )
                )
                or (
                    known.role = 'configuration'
                    and {{ matches('lower(known.path)', pattern_text(var('foreign_protocols'))) }}
                )
            )
            and (holders.is_rare or known.is_adapted)
            and not known.is_of_project
    -- A known library's file, or its next version, may replace another file.
    where known.status = 'A' or (known.has_known_name and known.file_name <> known.previous_name)
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
    where new_files.is_told_moved
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

library_files as (
    select
        commit_sha,
        lines_added,
        substr(path, 1, position(concat('/', library, '/') in concat('/', lower(path))) + length(library)) as folder
    from new_files
    where is_of_library and position(concat('/', library, '/') in concat('/', lower(path))) > 0
),

-- Folders with the name of a known library, to which several of its files came.
library_folders as (
    select
        commit_sha,
        folder
    from library_files
    group by commit_sha, folder
    having count(*) >= {{ var('foreign_library_files') }} and sum(lines_added) >= {{ var('foreign_file_lines') }}
),

-- People write the build of a library that they bring in.
companions as (
    select
        new_files.commit_sha,
        new_files.path,
        min(library_folders.folder) as library_folder
    from new_files
    inner join library_folders
        on
            new_files.commit_sha = library_folders.commit_sha
            and library_folders.folder = substr(new_files.path, 1, length(library_folders.folder))
    where new_files.role not in ('build', 'configuration')
    group by new_files.commit_sha, new_files.path
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
),

licensed_files as (
    select
        licensed.commit_sha,
        licensed.path,
        min(licensed.folder) as folder,
        min_by(licensed.holder, licensed.folder) as holder
    from licensed
    inner join licensed_folders on licensed.commit_sha = licensed_folders.commit_sha and licensed.folder = licensed_folders.folder
    group by licensed.commit_sha, licensed.path
),

-- What a tool puts beside its pages, or below them.
pages as (
    select
        commit_sha,
        coalesce({{ first_match('path', pattern_text('^.*/')) }}, '') as folder
    from files
    where
        status = 'A'
        and (is_generated or role = 'export')
        and {{ matches('lower(path)', pattern_text('[.]html?$')) }}
    group by commit_sha, coalesce({{ first_match('path', pattern_text('^.*/')) }}, '')
    having count(*) >= {{ var('foreign_page_files') }}
),

asset_folders as (
    select
        commit_sha,
        path,
        folder as page_folder
    from new_files
    where {{ matches('file_name', pattern_text(var('foreign_page_assets'))) }}
    union all
    select
        commit_sha,
        path,
        {{ first_match('folder', pattern_text('^(.*/)?[^/]+/$'), 1) }} as page_folder
    from new_files
    where {{ matches('file_name', pattern_text(var('foreign_page_assets'))) }}
),

page_assets as (
    select
        asset_folders.commit_sha,
        asset_folders.path,
        min(asset_folders.page_folder) as page_folder
    from asset_folders
    inner join pages
        on
            asset_folders.commit_sha = pages.commit_sha
            and coalesce(asset_folders.page_folder, '') = pages.folder
    group by asset_folders.commit_sha, asset_folders.path
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

named_files as (
    select
        commit_sha,
        path
    from {{ ref('stg_git__copyrights') }}
    where not is_author
    union distinct
    select
        commit_sha,
        path
    from own_files
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
        new_files.is_of_library and new_files.has_known_name as is_named,
        companions.library_folder,
        page_assets.path is not null as is_page_asset,
        page_assets.page_folder,
        -- Whoever is named in a file that came along has a part in it.
        case when named_files.path is null or new_files.holder is not null then licensed_files.folder end as licensed_folder,
        licensed_files.holder as licence_holder,
        new_files.lines_added,
        coalesce(new_files.holder, folders.holder) as holder,
        coalesce(new_files.holder_files, folders.holder_files) as holder_files,
        coalesce(new_files.repository_files, folders.repository_files) as repository_files,
        coalesce(new_files.is_by_author, folders.is_by_author) as is_by_author,
        new_files.holder is null as is_by_folder,
        new_files.beside,
        new_files.is_told_adapted,
        new_files.is_copied,
        moved.files >= {{ var('foreign_moved_files') }}
        or (moved.files > 0 and new_files.holder is not null) as is_moved,
        new_files.is_elder,
        coalesce(held.files >= {{ var('foreign_library_files') }} and new_files.beside is null, false) as is_one_of_several
    from new_files
    left join named_files on new_files.commit_sha = named_files.commit_sha and new_files.path = named_files.path
    left join folders
        on
            new_files.commit_sha = folders.commit_sha
            and new_files.folder = folders.folder
            and new_files.role in ('source', 'test')
            and not new_files.is_of_project
            and named_files.path is null
    left join held on new_files.commit_sha = held.commit_sha and new_files.holder = held.holder
    left join moved on new_files.commit_sha = moved.commit_sha and new_files.is_told_moved
    left join companions on new_files.commit_sha = companions.commit_sha and new_files.path = companions.path
    left join page_assets on new_files.commit_sha = page_assets.commit_sha and new_files.path = page_assets.path
    left join licensed_files on new_files.commit_sha = licensed_files.commit_sha and new_files.path = licensed_files.path
    -- The small files of a library come with the large ones.
    where
        greatest(new_files.lines_added, coalesce(held.lines_added, 0), coalesce(moved.lines_added, 0))
        >= {{ var('foreign_file_lines') }}
        or ((new_files.has_known_name or new_files.is_elder) and new_files.lines_added >= {{ var('foreign_named_lines') }})
        or companions.path is not null
        or page_assets.path is not null
        or licensed_files.path is not null
),

signed as (
    select
        *,
        is_named or is_page_asset or library_folder is not null or licensed_folder is not null or ((is_copied or coalesce(is_moved, false)) and holder is not null) or is_told_adapted or is_elder or is_one_of_several as is_sure,
        case
            when is_named then concat('named like a known library: ', file_name)
            when is_page_asset
                then concat('came with the pages that a tool wrote in ', coalesce(nullif(page_folder, ''), 'the root folder'))
            when library_folder is not null then concat('came with the files of a known library in ', library_folder)
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
                    case when is_by_folder then 'its folder came with files that name ' else 'names ' end, holder,
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
    found.is_sure,
    found.sign
from found
left join touched on found.commit_sha = touched.commit_sha and found.path = touched.path
where
    coalesce(touched.changes, 0) <= {{ var('foreign_file_changes') }}
    or (
        found.is_sure
        and {{ wide('touched.lines_added') }} * 1000000
        <= {{ wide('found.lines_added') }} * {{ var('foreign_file_reworked_micro') }}
    )
