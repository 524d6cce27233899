-- New versions of files that came from another project. The change writes at least a tenth of the file, and the subject of
-- the commit says nothing but that, such as "Update gtest", or the line of the stranger whom the file names is new too, with
-- other years or the next version. A smaller change needs a version in the subject: "Upgrade jQuery to 1.9". Or the file has the
-- name of a known library and the change writes half of it at once, while nobody had worked on it in small steps. The files
-- beside it, in a folder that the subject names, come with it. A patch of a foreign file is own work.

with arrivals as (
    select * from {{ ref('int_exclusions__foreign_arrivals') }}
),

changes as (
    select * from {{ ref('int_files__changes') }}
),

commits as (
    select
        commit_sha,
        subject,
        lower(subject) as lower_subject
    from {{ ref('int_commits') }}
),

holder_names as (
    select * from {{ ref('int_exclusions__holder_names') }}
),

-- A file may arrive again.
foreign_files as (
    select
        repository_id,
        original_path,
        min(delivery_number) as delivery_number,
        min_by(commit_number, delivery_number) as commit_number,
        count(case when is_sure then 1 end) > 0 as is_sure
    from arrivals
    group by repository_id, original_path
),

histories as (
    select
        changes.repository_id,
        changes.commit_sha,
        changes.path,
        changes.original_path,
        changes.status,
        changes.lines_added,
        foreign_files.is_sure,
        changes.delivery_number > foreign_files.delivery_number
        or (
            changes.delivery_number = foreign_files.delivery_number
            and changes.commit_number > foreign_files.commit_number
        ) as is_later,
        changes.delivery_number,
        changes.commit_number,
        coalesce(sum(changes.lines_added - changes.lines_deleted) over (
            partition by changes.repository_id, changes.original_path
            order by changes.delivery_number, changes.commit_number, changes.path
            rows between unbounded preceding and 1 preceding
        ), 0) as lines_before
    from changes
    inner join foreign_files
        on
            changes.repository_id = foreign_files.repository_id
            and changes.original_path = foreign_files.original_path
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

-- People who patch a file leave the lines of strangers alone.
restated as (
    select distinct
        later.commit_sha,
        later.path
    from holder_names as later
    inner join histories on later.commit_sha = histories.commit_sha and later.path = histories.path
    inner join arrivals
        on histories.repository_id = arrivals.repository_id and histories.original_path = arrivals.original_path
    inner join holder_names as first
        on
            arrivals.commit_sha = first.commit_sha
            and arrivals.path = first.path
            and later.holder = first.holder
            and later.is_author = first.is_author
    where later.status in ('M', 'R') and not later.is_author
),

large as (
    select
        worked.*,
        commits.subject,
        commits.lower_subject,
        restated.path is not null as is_restated
    from worked
    inner join commits on worked.commit_sha = commits.commit_sha
    left join restated on worked.commit_sha = restated.commit_sha and worked.path = restated.path
    where
        worked.is_large
        or (
            worked.is_later
            and worked.status in ('M', 'R')
            and {{ matches('commits.lower_subject', pattern_text(var('foreign_update_subjects'))) }}
            and {{ matches('commits.lower_subject', pattern_text(var('foreign_update_versions'))) }}
        )
),

subject_words as (
    select distinct
        commit_sha,
        {{ each(words_of(replaced('lower_subject', pattern_text('[^a-z0-9]+'), "' '"))) }} as word
    from large
    where {{ matches('lower_subject', pattern_text(var('foreign_update_subjects'))) }}
),

path_words as (
    select distinct
        commit_sha,
        {{ each(words_of(replaced('lower(path)', pattern_text('[^a-z0-9]+'), "' '"))) }} as word
    from large
),

-- The subject names the library. Its other files change with the one that has the name.
told_words as (
    select distinct
        subject_words.commit_sha,
        subject_words.word
    from subject_words
    inner join path_words
        on subject_words.commit_sha = path_words.commit_sha and subject_words.word = path_words.word
    where
        length(subject_words.word) > 2
        and not {{ matches('subject_words.word', pattern_text(var('foreign_update_common_words'))) }}
),

told as (
    select distinct commit_sha
    from told_words
),

-- What else changes or comes in the folder that has the library's name.
companions as (
    select distinct
        changes.repository_id,
        changes.commit_sha,
        changes.path,
        changes.original_path
    from large
    inner join told_words
        on
            large.commit_sha = told_words.commit_sha
            and position(concat('/', told_words.word, '/') in concat('/', lower(large.path))) > 0
    inner join changes
        on
            large.commit_sha = changes.commit_sha
            and large.repository_id = changes.repository_id
            and substr(
                large.path, 1, position(concat('/', told_words.word, '/') in concat('/', lower(large.path))) + length(told_words.word)
            )
            = substr(
                changes.path, 1, position(concat('/', told_words.word, '/') in concat('/', lower(changes.path))) + length(told_words.word)
            )
    where
        changes.status in ('A', 'M', 'R')
        and changes.role not in ('build', 'configuration')
        and position(concat('/', told_words.word, '/') in concat('/', lower(changes.path))) > 0
),

found as (
    select
        large.repository_id,
        large.commit_sha,
        large.path,
        large.original_path
    from large
    left join told on large.commit_sha = told.commit_sha
    where
        told.commit_sha is not null
        or (large.is_large and large.is_restated)
        or (
            large.is_rewritten
            and large.is_sure
            and {{ wide('large.lines_in_small_steps') }} * 1000000
            <= {{ wide('large.lines_before') }} * {{ var('foreign_file_reworked_micro') }}
        )
    union distinct
    select * from companions
)

select
    found.repository_id,
    found.commit_sha,
    found.path,
    found.original_path,
    concat(
        'a new version of a file from another project',
        case when told.commit_sha is not null then concat(': ', substr(commits.subject, 1, 100)) else '' end
    ) as sign
from found
inner join commits on found.commit_sha = commits.commit_sha
left join told on found.commit_sha = told.commit_sha
