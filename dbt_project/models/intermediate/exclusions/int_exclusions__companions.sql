-- Files that came with several files of a known library in a folder of its name, as the parts of a framework's style
-- sheets, as the style sheets and scripts of the pages that a tool wrote, or in a bundle: a starter, skills of others
-- for assistants, the content of a submodule, what the subject takes from a repository, or a product with its authors' names.

with new_files as (
    select * from {{ ref('int_exclusions__arriving_files') }}
),

files as (
    select * from {{ ref('int_files__changes') }}
),

holders as (
    select * from {{ ref('int_exclusions__holder_files') }}
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

-- Folders to which so many parts of a framework's style sheets came, some of them under names that few others use.
style_folders as (
    select
        commit_sha,
        folder
    from new_files
    where is_style_part
    group by commit_sha, folder
    having
        count(*) >= {{ var('foreign_style_files') }}
        and sum(case when {{ matches('file_name', pattern_text(var('foreign_style_marks'))) }} then 1 else 0 end)
        >= {{ var('foreign_style_marked') }}
),

-- People write the build of a library that they bring in.
beside_libraries as (
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

-- The framework's files alone: own sheets stand beside them.
companions as (
    select
        commit_sha,
        path,
        library_folder
    from beside_libraries
    union all
    select
        new_files.commit_sha,
        new_files.path,
        coalesce(new_files.folder, '') as library_folder
    from new_files
    inner join style_folders
        on
            new_files.commit_sha = style_folders.commit_sha
            and coalesce(new_files.folder, '') = coalesce(style_folders.folder, '')
    left join beside_libraries
        on new_files.commit_sha = beside_libraries.commit_sha and new_files.path = beside_libraries.path
    where new_files.is_style_part and beside_libraries.path is null
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
        coalesce(min(asset_folders.page_folder), '') as page_folder
    from asset_folders
    inner join pages
        on
            asset_folders.commit_sha = pages.commit_sha
            and coalesce(asset_folders.page_folder, '') = pages.folder
    group by asset_folders.commit_sha, asset_folders.path
),

-- The accounts of a web application, which its generator writes.
account_starters as (
    select commit_sha
    from new_files
    where {{ matches('lower(path)', pattern_text(var('starter_account_names'))) }}
    group by commit_sha
    having count(*) >= {{ var('starter_account_files') }}
),

-- Skills whose head names one of the project's own people as the author.
own_skills as (
    select distinct
        commit_sha,
        {{ first_match('lower(path)', pattern_text(var('bundle_skills'))) }} as skill
    from holders
    where (is_known or is_own_name) and position('/skill.md' in lower(path)) > 0
),

skill_files as (
    select
        commit_sha,
        path,
        status,
        case
            when {{ matches('lower(path)', pattern_text(var('bundle_skills'))) }}
                then {{ first_match('lower(path)', pattern_text(var('bundle_skills'))) }}
        end as skill
    from files
    where
        status in ('A', 'M')
        and (
            {{ matches('lower(path)', pattern_text(var('bundle_skills'))) }}
            or {{ matches('lower(path)', pattern_text(var('bundle_skill_locks'))) }}
        )
),

strange_skill_files as (
    select skill_files.*
    from skill_files
    left join own_skills on skill_files.commit_sha = own_skills.commit_sha and skill_files.skill = own_skills.skill
    where own_skills.skill is null
),

-- A collection of skills shows by a licence or a lock. People add their own one by one, or put their name into them.
skill_collections as (
    select
        commit_sha,
        count(distinct case when position('/skill.md' in lower(path)) > 0 then path end) as skills
    from strange_skill_files
    group by commit_sha
    having
        count(case when status = 'A' and position('/skill.md' in lower(path)) > 0 then 1 end) >= {{ var('bundle_skill_files') }}
        and (
            count(case when {{ matches('lower(path)', pattern_text(var('bundle_skill_locks'))) }} then 1 end) > 0
            or count(case when {{ matches('lower(path)', pattern_text(var('foreign_licence_files'))) }} then 1 end) > 0
        )
),

-- Commits that put the content of a submodule in its place. Its history, with its people and days, is elsewhere.
submodules as (
    select
        commit_sha,
        path
    from files
    where status = 'D' and role = 'submodule'
),

unpacked as (
    select
        new_files.commit_sha,
        new_files.path,
        min(submodules.path) as submodule
    from new_files
    inner join submodules
        on
            new_files.commit_sha = submodules.commit_sha
            and position(concat(submodules.path, '/') in new_files.path) = 1
    group by new_files.commit_sha, new_files.path
),

-- The command of a generator is all that is said below a subject that opens a project.
starters as (
    select
        commit_sha,
        min({{ first_match('body', pattern_text('^\\s*([^\\n]*)'), 1) }}) as command
    from {{ ref('stg_git__commits') }}
    where
        body <> ''
        and {{ matches('lower(subject)', pattern_text(var('starter_openings'))) }}
        and {{ matches(first_match('lower(body)', pattern_text('^\\s*([^\\n]*[^\\s])'), 1), pattern_text(var('starter_subjects'))) }}
        -- Trailers may follow.
        and {{ matches('lower(body)', pattern_text('^\\s*[^\\n]*(\\s*\\n[a-z-]+: [^\\n]*)*\\s*$')) }}
    -- A fork has the commit too.
    group by commit_sha
),

strangers as (
    select
        commit_sha,
        path,
        min(holder) as holder
    from holders
    where is_foreign and is_author and have_full_names
    group by commit_sha, path
),

-- A product that arrived, of which most files name the people who wrote it.
products as (
    select
        new_files.commit_sha,
        count(strangers.path) as files
    from new_files
    left join strangers on new_files.commit_sha = strangers.commit_sha and new_files.path = strangers.path
    where new_files.role in ('source', 'test')
    group by new_files.commit_sha
    having
        count(strangers.path) >= {{ var('foreign_product_files') }}
        and count(distinct strangers.holder) >= {{ var('foreign_product_authors') }}
        and count(strangers.path) * 2 > count(*)
),

bundles as (
    select
        new_files.commit_sha,
        new_files.path,
        unpacked.submodule is not null
        or {{ matches('lower(new_files.subject)', pattern_text(var('foreign_named_repositories'))) }} as has_history_elsewhere,
        -- People go on with what a generator or their submodule began.
        unpacked.submodule is not null
        or {{ matches('lower(new_files.subject)', pattern_text(var('starter_subjects'))) }}
        or starters.commit_sha is not null
        or (
            account_starters.commit_sha is not null
            and {{ matches('lower(new_files.path)', pattern_text(var('starter_account_places'))) }}
        ) as is_continued,
        case
            when {{ matches('lower(new_files.subject)', pattern_text(var('starter_subjects'))) }}
                then concat('a generator wrote it, whose command is the subject: ', substr(new_files.subject, 1, 100))
            when starters.commit_sha is not null
                then concat('a generator wrote it, whose command is the text of the commit: ', substr(starters.command, 1, 100))
            when
                account_starters.commit_sha is not null
                and {{ matches('lower(new_files.path)', pattern_text(var('starter_account_places'))) }}
                then 'came with the accounts that the generator of a web application writes'
            when
                skill_collections.commit_sha is not null
                and own_skills.skill is null
                and {{ matches('lower(new_files.path)', pattern_text(var('bundle_skills'))) }}
                then concat('came with ', {{ with_thousands('skill_collections.skills') }}, ' skills for assistants and a licence or a lock')
            when unpacked.submodule is not null then concat('came in the place of the submodule ', unpacked.submodule)
            when {{ matches('lower(new_files.subject)', pattern_text(var('foreign_named_repositories'))) }}
                then concat('the subject names the repository that it comes from: ', substr(new_files.subject, 1, 100))
            when products.commit_sha is not null and new_files.role in ('source', 'test', 'documentation')
                then concat('came with ', {{ with_thousands('products.files') }}, ' files whose authors never work here')
        end as bundle
    from new_files
    left join unpacked on new_files.commit_sha = unpacked.commit_sha and new_files.path = unpacked.path
    left join starters on new_files.commit_sha = starters.commit_sha
    left join account_starters on new_files.commit_sha = account_starters.commit_sha
    left join products on new_files.commit_sha = products.commit_sha
    left join skill_collections on new_files.commit_sha = skill_collections.commit_sha
    left join own_skills
        on
            new_files.commit_sha = own_skills.commit_sha
            and {{ first_match('lower(new_files.path)', pattern_text(var('bundle_skills'))) }} = own_skills.skill
)

select
    new_files.commit_sha,
    new_files.path,
    companions.library_folder,
    case when companions.path is null then page_assets.page_folder end as page_folder,
    bundles.bundle,
    bundles.has_history_elsewhere,
    coalesce(bundles.is_continued, false) as is_continued
from new_files
left join companions on new_files.commit_sha = companions.commit_sha and new_files.path = companions.path
left join page_assets on new_files.commit_sha = page_assets.commit_sha and new_files.path = page_assets.path
left join bundles on new_files.commit_sha = bundles.commit_sha and new_files.path = bundles.path
where companions.path is not null or page_assets.path is not null or bundles.bundle is not null
