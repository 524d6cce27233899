-- New files in roles that earn, with what they say of their origin: the name of a widely known library, the stranger in
-- their copyright lines, or else in their lines of authors, and the words of the subject.

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

home_parts as (
    select
        repository_id,
        lower(name) as repository_name,
        {{ first_match('lower(name)', pattern_text('^[^/]+')) }} as owner_name,
        {{ first_match('lower(name)', pattern_text('[^/]*$')) }} as own_name
    from repositories
),

-- What the repository of a library is called: by its owner, or by the library and words that say where it lives. A shop that
-- is built with a library may begin with its name, and goes on with other words.
homes as (
    select
        repository_id,
        repository_name,
        owner_name,
        {{ replaced(
            replaced(
                replaced('own_name', pattern_text(var('foreign_home_endings')), "''"),
                pattern_text(var('foreign_home_beginnings')), "''"
            ), pattern_text('[^a-z0-9]+'), "''"
        ) }} as home_name,
        {{ replaced('own_name', pattern_text('[^a-z0-9]+'), "''") }} as whole_name
    from home_parts
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
        case
            when not {{ matches('words', pattern_text(var('foreign_moved_features'))) }}
                then {{ first_match('words', pattern_text(var('foreign_copied_into')), 7) }}
        end as copied_into,
        {{ matches('words', pattern_text(var('foreign_adapted_subjects'))) }} as is_adapted,
        {{ matches('words', pattern_text(var('foreign_moved_subjects'))) }}
        and not {{ matches('words', pattern_text(var('foreign_moved_features'))) }} as is_moved,
        {{ matches('words', pattern_text(var('foreign_moved_here_subjects'))) }}
        and not {{ matches('words', pattern_text(var('foreign_moved_features'))) }} as is_moved_here,
        {{ matches('words', pattern_text(var('foreign_moved_wiki_subjects'))) }}
        and not {{ matches('words', pattern_text(var('foreign_moved_features'))) }} as is_moved_from_wiki
    from subjects
),

holders as (
    select * from {{ ref('int_exclusions__foreign_holders') }}
),

names as (
    select
        files.*,
        commits.subject,
        commits.is_copied
        or coalesce(
            {{ matches('commits.copied_into', pattern_text(var('foreign_copied_places'))) }}
            or (
                commits.copied_into = {{ first_match('homes.repository_name', pattern_text('[a-z0-9._-]*$')) }}
                -- Folders have such names too.
                and not {{ matches('commits.copied_into', pattern_text(var('foreign_update_common_words'))) }}
            ),
            false
        ) as is_copied,
        commits.is_adapted,
        commits.is_moved
        or commits.is_moved_here
        or (commits.is_moved_from_wiki and files.role = 'documentation') as is_told_moved,
        commits.is_moved_here as is_told_moved_here,
        homes.repository_name,
        homes.owner_name,
        homes.home_name,
        homes.whole_name,
        concat('/', homes.home_name, '/', homes.whole_name, '/', replace(homes.home_name, 'google', 'g'), '/') as home_names,
        -- Text before the name, and after it.
        {{ first_match('files.path', pattern_text('^.*/')) }} as folder,
        {{ first_match('lower(files.path)', pattern_text('[^/]*$')) }} as file_name,
        {{ first_match('lower(files.previous_path)', pattern_text('[^/]*$')) }} as previous_name
    from files
    inner join roles on files.role = roles.role
    inner join commits on files.commit_sha = commits.commit_sha
    inner join homes on files.repository_id = homes.repository_id
    where files.status in ('A', 'R') and not {{ is_worthless_file('files') }}
),

known as (
    select
        *,
        {{ matches('file_name', pattern_text(var('foreign_file_names'))) }} as has_known_name,
        case
            when {{ matches('lower(path)', pattern_text(var('foreign_library_parts'))) }} then {{ first_match('lower(path)', pattern_text(var('foreign_library_parts')), 2) }}
            when {{ matches('lower(path)', pattern_text(var('foreign_packages'))) }} then {{ first_match('lower(path)', pattern_text(var('foreign_packages')), 4) }}
            else {{ first_match('file_name', pattern_text('^_?([a-z][0-9]?[a-z]*)'), 1) }}
        end as library,
        {{ matches('lower(path)', pattern_text(var('foreign_library_parts'))) }} as is_part,
        {{ matches('lower(path)', pattern_text(var('foreign_packages'))) }} as is_package,
        {{ matches('file_name', pattern_text(var('foreign_style_parts'))) }}
        and position('/bootstrap/' in home_names) = 0
        and position('bootstrap' in owner_name) = 0 as is_style_part,
        -- The file with the project's name may begin with a piece of others.
        {{ first_match('file_name', pattern_text('^[^.]*')) }} = {{ first_match('repository_name', pattern_text('[a-z0-9._-]*$')) }} as is_of_project
    from names
),

-- Files in which a copyright line stands, or that name somebody of the project.
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
    from {{ ref('int_exclusions__holder_files') }}
    where is_known or is_own_name
),

libraries as (
    select
        *,
        -- The library's own repository has its name. GoogleTest and GoogleMock shorten theirs in files.
        (has_known_name or is_part or is_package)
        and position(concat('/', library, '/') in home_names) = 0
        and position(library in owner_name) = 0
        -- A library's name of several words: `http_parser.c` in `http-parser`.
        and not (
            position(library in home_name) = 1
            and position(home_name in {{ replaced('file_name', pattern_text('[^a-z0-9]+'), "''") }}) = 1
        )
        -- Packages keep the name of a library in ports and parts of it, with or without lib.
        and not (is_package and position(library in concat(whole_name, ' lib', whole_name)) > 0) as is_of_library,
        -- Documents quote and carry the copyright of others; their styles and scripts are code.
        not is_of_project
        and (
            role in ('source', 'test')
            or (
                role = 'documentation'
                and (
                    {{ matches('lower(path)', pattern_text(var('foreign_styles'))) }}
                    or (
                        {{ matches('lower(path)', pattern_text(var('foreign_samples'))) }}
                        and not {{ matches('lower(path)', pattern_text(var('foreign_samples_prose'))) }}
                    )
                )
            )
            or (role = 'configuration' and {{ matches('lower(path)', pattern_text(var('foreign_protocols'))) }})
        ) as is_held
    from known
    -- A known library's file, or its next version, may replace another file.
    where status = 'A' or (has_known_name and file_name <> previous_name)
)

select
    libraries.repository_id,
    libraries.commit_sha,
    libraries.path,
    libraries.original_path,
    libraries.folder,
    libraries.file_name,
    libraries.role,
    libraries.lines_added,
    libraries.delivery_number,
    libraries.commit_number,
    libraries.authored_micros,
    libraries.subject,
    libraries.is_copied,
    libraries.is_told_moved,
    libraries.is_told_moved_here,
    libraries.is_of_project,
    libraries.library,
    libraries.is_of_library,
    libraries.is_of_library and libraries.has_known_name as is_named,
    libraries.has_known_name,
    libraries.is_style_part,
    named_files.path is not null as has_holder_line,
    holders.holder,
    holders.holder_files,
    holders.repository_files,
    holders.is_by_author,
    holders.beside,
    coalesce(holders.is_elder, false) as is_elder,
    holders.beside is not null and libraries.is_adapted as is_told_adapted
from libraries
left join named_files on libraries.commit_sha = named_files.commit_sha and libraries.path = named_files.path
left join holders
    on
        libraries.commit_sha = holders.commit_sha
        and libraries.path = holders.path
        and libraries.is_held
        and (holders.is_rare or libraries.is_adapted)
