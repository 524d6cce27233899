-- Texts that a commit brought in with the programs of a tool: they stand in the folder of several programs, or below it,
-- or are named after a program in their folder. A script has to be named so, and every text in a folder that collects tools
-- or libraries. The folder is nobody's workplace: no sources of programs, tests or project files came with it, no program
-- has the name of the repository or of one of its sources, and hardly anybody edits the texts afterwards. And files of which
-- the subject says that a program wrote them.

with files as (
    select * from {{ ref('int_files') }}
),

repositories as (
    select
        repository_id,
        lower(name) as name
    from {{ ref('int_repositories') }}
),

delivered as (
    select * from {{ ref('int_delivered_commits') }}
),

named_files as (
    select
        commit_sha,
        subject,
        {{ first_match('lower(subject)', pattern_text(var('told_generated_files')), 1) }} as file_name
    from {{ ref('int_commits') }}
    where
        {{ contains_and_matches(
            'lower(subject)', "'generate'", pattern_text(var('told_generated_files'))
        ) }}
        and not {{ matches('lower(subject)', pattern_text(var('told_written_by_hand'))) }}
),

-- One file has the name. Of two, one may be the program that writes the other.
told as (
    select
        files.commit_sha,
        min(files.path) as path,
        concat('a program wrote it, as the subject says: ', substr(min(named_files.subject), 1, 100)) as sign
    from named_files
    inner join files on named_files.commit_sha = files.commit_sha
    where
        files.commit_status in ('A', 'M')
        and files.lines_added >= {{ var('told_generated_lines') }}
        and lower({{ first_match('files.path', pattern_text('[^/]*$')) }}) = named_files.file_name
        and not {{ is_worthless_file('files') }}
    group by files.commit_sha
    having count(*) = 1
),

-- What stands at the root of a repository is the project's own.
programs as (
    select
        repository_id,
        commit_sha,
        commit_status,
        {{ first_match('path', pattern_text('^.*/')) }} as folder,
        lower({{ first_match('path', pattern_text(var('name_up_to_last_dot')), 1) }}) as stem
    from files
    where
        is_binary
        and position('/' in path) > 0
        and {{ matches('lower(path)', pattern_text(var('tool_program_names'))) }}
),

folders as (
    select
        repository_id,
        commit_sha,
        folder,
        count(*) as programs
    from programs
    where commit_status = 'A'
    group by repository_id, commit_sha, folder
),

arrived as (
    select
        folders.repository_id,
        folders.commit_sha,
        folders.folder,
        folders.programs,
        files.path,
        files.original_path,
        coalesce(files.language, 'unknown') in (
            {%- for language in var('tool_script_languages') %}'{{ language }}'{{ ', ' if not loop.last }}{% endfor -%}
        ) as is_script,
        substr(files.path, length(folders.folder) + 1) as name_below
    from folders
    inner join files
        on
            folders.repository_id = files.repository_id
            and folders.commit_sha = files.commit_sha
            and folders.folder = substr(files.path, 1, length(folders.folder))
            and files.commit_status = 'A'
            and not {{ is_worthless_file('files') }}
),

-- Scripts and pages come with a tool.
sources as (
    select
        repository_id,
        commit_sha,
        path,
        commit_status,
        lower({{ first_match('path', pattern_text(var('name_up_to_last_dot')), 1) }}) as stem
    from files
    where
        not {{ is_worthless_file('files') }}
        and repository_id in (select repository_id from folders)
        and (
            role = 'test'
            or (
                role in ('source', 'build')
                and (
                    coalesce(language, 'unknown') not in (
                        {%- for language in var('tool_text_languages') %}'{{ language }}'{{ ', ' if not loop.last }}{% endfor -%}
                    )
                    or {{ matches('lower(path)', pattern_text(var('tool_project_names'))) }}
                )
            )
        )
),

-- Folders with a program of the project itself.
own as (
    select distinct
        programs.commit_sha,
        programs.folder
    from programs
    inner join repositories on programs.repository_id = repositories.repository_id
    left join sources on programs.repository_id = sources.repository_id and programs.stem = sources.stem
    where sources.stem is not null or position(programs.stem in repositories.name) > 0
),

workplaces as (
    select
        folders.commit_sha,
        folders.folder
    from folders
    inner join sources
        on
            folders.commit_sha = sources.commit_sha
            and folders.folder = substr(sources.path, 1, length(folders.folder))
            and sources.commit_status = 'A'
    group by folders.commit_sha, folders.folder
),

named as (
    select distinct
        arrived.commit_sha,
        arrived.path
    from arrived
    inner join programs
        on arrived.commit_sha = programs.commit_sha and arrived.folder = programs.folder
    where
        programs.commit_status = 'A' and position(concat(programs.stem, '.') in lower(arrived.name_below)) = 1
),

texts as (
    select
        arrived.*,
        delivered.authored_micros
    from arrived
    inner join delivered on arrived.commit_sha = delivered.commit_sha
    left join own on arrived.commit_sha = own.commit_sha and arrived.folder = own.folder
    left join workplaces on arrived.commit_sha = workplaces.commit_sha and arrived.folder = workplaces.folder
    left join named on arrived.commit_sha = named.commit_sha and arrived.path = named.path
    where
        own.folder is null
        and workplaces.folder is null
        and (
            named.path is not null
            or (
                arrived.programs >= {{ var('tool_programs') }}
                and not arrived.is_script
                and not {{ matches('lower(arrived.folder)', pattern_text(var('tool_shelves'))) }}
            )
        )
),

-- A new version of the tool changes its texts and programs together.
updates as (
    select distinct
        commit_sha,
        folder
    from programs
),

edited as (
    select
        texts.commit_sha,
        texts.folder,
        count(distinct files.commit_sha) as edits
    from texts
    inner join files
        on
            texts.repository_id = files.repository_id
            and texts.original_path = files.original_path
            and texts.commit_sha <> files.commit_sha
            and files.commit_status <> 'D'
            and files.lines_added > 0
    inner join delivered
        on
            files.commit_sha = delivered.commit_sha
            and texts.authored_micros <= delivered.authored_micros
            and texts.authored_micros + {{ window_micros() }} >= delivered.authored_micros
    left join updates on files.commit_sha = updates.commit_sha and texts.folder = updates.folder
    where updates.folder is null
    group by texts.commit_sha, texts.folder
),

came as (
    select
        texts.commit_sha,
        texts.path,
        concat(
            'came with ', {{ with_thousands('max(texts.programs)') }},
            case when max(texts.programs) = 1 then ' program in ' else ' programs in ' end, min(texts.folder)
        ) as sign
    from texts
    left join edited on texts.commit_sha = edited.commit_sha and texts.folder = edited.folder
    where coalesce(edited.edits, 0) <= {{ var('foreign_file_changes') }}
    group by texts.commit_sha, texts.path
)

select
    coalesce(told.commit_sha, came.commit_sha) as commit_sha,
    coalesce(told.path, came.path) as path,
    coalesce(told.sign, came.sign) as sign
from told
full outer join came on told.commit_sha = came.commit_sha and told.path = came.path
