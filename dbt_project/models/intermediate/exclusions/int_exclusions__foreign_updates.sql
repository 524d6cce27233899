-- New versions of files that came from another project. The change writes at least a tenth of the file, and the subject of
-- the commit says nothing but that, such as "Update gtest", or the change names only strangers whom the file named as it came, one of
-- them with other years or in the next kept comment. A smaller change needs a subject of a verb, the name of the file or its folder
-- and a version: "Upgrade jQuery to 1.9", or the name of a file that is foreign beyond doubt: "Update stb to the latest version". Where such files
-- are all that changed, the version is enough: "Updated to version 2.00b". Or the file has the name of a known library and the change writes half of it at once,
-- while nobody had worked on it in small steps. The files beside a large change, in a folder that the subject names, come with it.
-- A patch of a foreign file is own work. The name of the repository, and of the folder with most of its files, is no library's.

with brought_files as (
    select * from {{ ref('int_exclusions__brought_files') }}
),

changes as (
    select * from {{ ref('int_files__changes') }}
),

repositories as (
    select
        repository_id,
        {{ replaced('lower(name)', pattern_text('[^a-z0-9]+'), "''") }} as letters
    from {{ ref('int_repositories') }}
),

commits as (
    select
        commit_sha,
        subject,
        lower(subject) as lower_subject
    from {{ ref('int_commits') }}
),

restated as (
    select * from {{ ref('int_exclusions__restated_files') }}
),

renewed_folders as (
    select * from {{ ref('int_exclusions__renewed_folders') }}
),

histories as (
    select
        changes.repository_id,
        changes.commit_sha,
        changes.path,
        changes.original_path,
        changes.status,
        changes.lines_added,
        brought_files.is_sure,
        {{ comes_before('brought_files', 'changes') }} as is_later,
        changes.delivery_number,
        changes.commit_number,
        coalesce(sum(changes.lines_added - changes.lines_deleted) over (
            partition by changes.repository_id, changes.original_path
            order by changes.delivery_number, changes.commit_number, changes.path
            rows between unbounded preceding and 1 preceding
        ), 0) as lines_before
    from changes
    inner join brought_files
        on
            changes.repository_id = brought_files.repository_id
            and changes.original_path = brought_files.original_path
    where brought_files.is_foreign
),

sized as (
    select
        *,
        is_later
        and status in ('M', 'R')
        and lines_added >= {{ var('foreign_update_lines') }}
        and {{ wide('lines_added') }} * 1000000
        >= {{ wide('lines_before') }} * {{ var('foreign_update_micro') }} as is_large,
        is_later
        and status in ('M', 'R')
        and lines_added >= {{ var('foreign_file_lines') }}
        and {{ wide('lines_added') }} * 1000000
        >= {{ wide('lines_before') }} * {{ var('foreign_update_untold_micro') }} as is_rewritten
    from histories
),

worked as (
    select
        *,
        coalesce(sum(case when is_later and not is_large then lines_added else 0 end) over (
            partition by repository_id, original_path
            order by delivery_number, commit_number, path
            rows between unbounded preceding and 1 preceding
        ), 0) as lines_in_small_steps
    from sized
),

candidates as (
    select
        worked.*,
        commits.subject,
        commits.lower_subject,
        restated.path is not null as is_restated,
        coalesce(restated.is_version, false) as is_version
    from worked
    inner join commits on worked.commit_sha = commits.commit_sha
    left join restated on worked.commit_sha = restated.commit_sha and worked.path = restated.path
    where
        worked.is_large
        or (worked.is_later and worked.status in ('M', 'R') and restated.is_version)
        or (
            worked.is_later
            and worked.status in ('M', 'R')
            and {{ matches('commits.lower_subject', pattern_text(var('foreign_update_versions'))) }}
        )
        or (
            worked.is_later
            and worked.is_sure
            and worked.status in ('M', 'R')
            and worked.lines_added >= {{ var('foreign_update_lines') }}
            and {{ matches('commits.lower_subject', pattern_text(var('foreign_update_alone'))) }}
        )
),

sure_files as (
    select distinct
        commit_sha,
        path
    from candidates
    where is_sure
),

updating as (
    select distinct commit_sha
    from sure_files
),

-- Commits that changed no other code.
alone as (
    select changes.commit_sha
    from changes
    inner join updating on changes.commit_sha = updating.commit_sha
    left join sure_files on changes.commit_sha = sure_files.commit_sha and changes.path = sure_files.path
    where changes.role in ('source', 'test')
    group by changes.commit_sha
    having count(*) = count(sure_files.path)
),

subject_words as (
    select distinct
        commit_sha,
        {{ each(words_of(replaced('lower_subject', pattern_text('[^a-z0-9]+'), "' '"))) }} as word
    from candidates
    where {{ matches('lower_subject', pattern_text(var('foreign_update_subjects'))) }}
),

path_words as (
    select distinct
        commit_sha,
        path,
        {{ each(words_of(replaced('lower(path)', pattern_text('[^a-z0-9]+'), "' '"))) }} as word
    from candidates
),

shared_words as (
    select
        candidates.repository_id,
        subject_words.commit_sha,
        subject_words.word,
        path_words.path
    from subject_words
    inner join path_words
        on subject_words.commit_sha = path_words.commit_sha and subject_words.word = path_words.word
    inner join candidates on path_words.commit_sha = candidates.commit_sha and path_words.path = candidates.path
    inner join repositories on candidates.repository_id = repositories.repository_id
    where
        length(subject_words.word) > 2
        and position(subject_words.word in repositories.letters) = 0
        and not {{ matches('subject_words.word', pattern_text(var('foreign_update_common_words'))) }}
),

-- A product may have another name than its repository: that of the folder with most of its files.
own_words as (
    select
        words.repository_id,
        words.word
    from (select distinct repository_id, word from shared_words) as words
    inner join changes on words.repository_id = changes.repository_id
    where changes.status = 'A' and changes.role in ('source', 'test')
    group by words.repository_id, words.word
    having count(case when position(concat('/', words.word, '/') in concat('/', lower(changes.path))) > 0 then 1 end) * 2 > count(*)
),

-- The subject names the library. Its other files change with the one that has the name.
told_words as (
    select
        shared_words.commit_sha,
        shared_words.word,
        shared_words.path
    from shared_words
    left join own_words
        on shared_words.repository_id = own_words.repository_id and shared_words.word = own_words.word
    where own_words.word is null
),

told as (
    select distinct commit_sha
    from told_words
),

told_files as (
    select distinct
        commit_sha,
        path
    from told_words
),

-- What else changes or comes beside a large change in the folder that has the library's name.
companions as (
    select distinct
        changes.repository_id,
        changes.commit_sha,
        changes.path,
        changes.original_path
    from candidates
    inner join told_words
        on
            candidates.commit_sha = told_words.commit_sha
            and position(concat('/', told_words.word, '/') in concat('/', lower(candidates.path))) > 0
    inner join changes
        on
            candidates.commit_sha = changes.commit_sha
            and candidates.repository_id = changes.repository_id
            and substr(
                candidates.path, 1, position(concat('/', told_words.word, '/') in concat('/', lower(candidates.path))) + length(told_words.word)
            )
            = substr(
                changes.path, 1, position(concat('/', told_words.word, '/') in concat('/', lower(changes.path))) + length(told_words.word)
            )
    where
        candidates.is_large
        and changes.status in ('A', 'M', 'R')
        and changes.role not in ('build', 'configuration')
        and position(concat('/', told_words.word, '/') in concat('/', lower(changes.path))) > 0
),

found as (
    select
        candidates.repository_id,
        candidates.commit_sha,
        candidates.path,
        candidates.original_path
    from candidates
    left join told on candidates.commit_sha = told.commit_sha
    left join told_files on candidates.commit_sha = told_files.commit_sha and candidates.path = told_files.path
    left join alone on candidates.commit_sha = alone.commit_sha
    where
        told_files.path is not null
        or (
            alone.commit_sha is not null
            and candidates.lines_added >= {{ var('foreign_update_lines') }}
            and {{ matches('candidates.lower_subject', pattern_text(var('foreign_update_alone'))) }}
        )
        or (candidates.is_large and told.commit_sha is not null)
        or (candidates.is_large and candidates.is_restated)
        or candidates.is_version
        or (
            candidates.is_rewritten
            and candidates.is_sure
            and {{ wide('candidates.lines_in_small_steps') }} * 1000000
            <= {{ wide('candidates.lines_before') }} * {{ var('foreign_file_reworked_micro') }}
        )
    union distinct
    select * from companions
    union distinct
    select
        changes.repository_id,
        changes.commit_sha,
        changes.path,
        changes.original_path
    from renewed_folders
    inner join changes
        on
            renewed_folders.repository_id = changes.repository_id
            and renewed_folders.commit_sha = changes.commit_sha
            and (
                substr(changes.path, 1, length(renewed_folders.folder)) = renewed_folders.folder
                -- The file of the library's name stands above its folder.
                or concat({{ first_match('lower(changes.path)', pattern_text('^(.*)[.][^./]*$'), 1) }}, '/') = lower(renewed_folders.folder)
            )
    where changes.status in ('A', 'M', 'R') and changes.role not in ('build', 'configuration')
)

select
    found.repository_id,
    found.commit_sha,
    found.path,
    found.original_path,
    concat(
        'a new version of a file from another project',
        case when told.commit_sha is not null or renewed.commit_sha is not null then concat(': ', substr(commits.subject, 1, 100)) else '' end
    ) as sign
from found
inner join commits on found.commit_sha = commits.commit_sha
left join told on found.commit_sha = told.commit_sha
left join (select distinct commit_sha from renewed_folders) as renewed on found.commit_sha = renewed.commit_sha
