-- New versions of files that came from another project. The change writes at least a tenth of the file, and the subject of
-- the commit says nothing but that, such as "Update gtest", or the change names only strangers whom the file named as it came, one of
-- them with other years or in the next kept comment. A smaller change needs a subject of a verb, the name of the file or its folder
-- and a version: "Upgrade jQuery to 1.9". Or the file has the name of a known library and the change writes half of it at once,
-- while nobody had worked on it in small steps. The files beside a large change, in a folder that the subject names, come with it.
-- A patch of a foreign file is own work.

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

holder_files as (
    select * from {{ ref('int_exclusions__holder_files') }}
),

foreign_holders as (
    select * from {{ ref('int_exclusions__foreign_holders') }}
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
        {{ comes_before('foreign_files', 'changes') }} as is_later,
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

-- Strangers for whose names the file was judged foreign.
strangers as (
    select distinct
        arrivals.repository_id,
        arrivals.original_path,
        holder_files.holder,
        holder_files.is_author
    from arrivals
    inner join foreign_holders on arrivals.commit_sha = foreign_holders.commit_sha and arrivals.path = foreign_holders.path
    inner join holder_files on arrivals.commit_sha = holder_files.commit_sha and arrivals.path = holder_files.path
    where holder_files.is_foreign
),

named as (
    select
        histories.repository_id,
        histories.original_path,
        histories.commit_sha,
        histories.path,
        histories.status,
        histories.delivery_number,
        histories.commit_number,
        holder_names.holder,
        holder_names.is_author,
        coalesce(holder_names.address, '') as address,
        coalesce(holder_names.first_year, 0) as first_year,
        coalesce(holder_names.last_year, 0) as last_year
    from holder_names
    inner join histories on holder_names.commit_sha = histories.commit_sha and holder_names.path = histories.path
),

-- Lines that the file had before.
repeated as (
    select distinct
        later.commit_sha,
        later.path,
        later.holder,
        later.address
    from named as later
    inner join named as earlier
        on
            later.repository_id = earlier.repository_id
            and later.original_path = earlier.original_path
            and later.holder = earlier.holder
            and later.address = earlier.address
            and later.first_year = earlier.first_year
            and later.last_year = earlier.last_year
            and later.is_author = earlier.is_author
            and {{ comes_before('earlier', 'later') }}
    where later.status in ('M', 'R') and not later.is_author
),

-- People who patch a file leave the lines of strangers alone, or write their own name too.
restated as (
    select
        named.commit_sha,
        named.path
    from named
    left join strangers
        on
            named.repository_id = strangers.repository_id
            and named.original_path = strangers.original_path
            and named.holder = strangers.holder
            and named.is_author = strangers.is_author
    left join repeated
        on
            named.commit_sha = repeated.commit_sha
            and named.path = repeated.path
            and named.holder = repeated.holder
            and named.address = repeated.address
    where named.status in ('M', 'R')
    group by named.commit_sha, named.path
    having
        count(case when strangers.holder is null then 1 end) = 0
        and count(
            case
                when named.is_author then null
                when named.first_year > 0 and repeated.holder is null then 1
                -- A kept comment has a version instead of years.
                when named.first_year = 0 and {{ matches('lower(named.path)', pattern_text(var('foreign_styles'))) }} then 1
            end
        ) > 0
),

candidates as (
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
            and {{ matches('commits.lower_subject', pattern_text(var('foreign_update_versions'))) }}
        )
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

-- The subject names the library. Its other files change with the one that has the name.
told_words as (
    select
        subject_words.commit_sha,
        subject_words.word,
        path_words.path
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
    where
        told_files.path is not null
        or (candidates.is_large and told.commit_sha is not null)
        or (candidates.is_large and candidates.is_restated)
        or (
            candidates.is_rewritten
            and candidates.is_sure
            and {{ wide('candidates.lines_in_small_steps') }} * 1000000
            <= {{ wide('candidates.lines_before') }} * {{ var('foreign_file_reworked_micro') }}
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
