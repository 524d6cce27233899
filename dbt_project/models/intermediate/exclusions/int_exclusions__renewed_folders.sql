-- Folders of a library of which a commit brought a new version, as its subject says with the name of the folder and a version:
-- "mPDF Update to 5.7.3". Files with a tenth of its lines are of others or name strangers, and with half of them where the subject
-- says more: "Upgrade the shop to React 18.2". Half of its files or a tenth of one change, and hardly anybody
-- had worked in it between such commits. The name of the repository names its own parts.

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
        concat(' ', {{ replaced('lower(subject)', pattern_text('[^a-z0-9]+'), "' '") }}, ' ') as words,
        {{ matches('lower(subject)', pattern_text(var('foreign_update_versions'))) }} as is_plain
    from {{ ref('int_commits') }}
    where
        {{ matches('lower(subject)', pattern_text(var('foreign_update_marks'))) }}
        and {{ matches('lower(subject)', pattern_text(var('foreign_update_subjects'))) }}
),

-- Folders above each changed file.
folders as (
    select
        changes.repository_id,
        changes.commit_sha,
        changes.path,
        changes.original_path,
        changes.delivery_number,
        changes.commit_number,
        commits.words,
        commits.is_plain,
        {{ each(distinct_of(words_of("replace(" ~ first_match('lower(changes.path)', pattern_text('^(.*)/'), 1) ~ ", '/', ' ')"))) }} as folder_name
    from changes
    inner join commits on changes.commit_sha = commits.commit_sha
    where changes.status in ('M', 'R')
),

lettered as (
    select
        folders.*,
        repositories.letters as repository_letters,
        {{ replaced('folders.folder_name', pattern_text('[^a-z0-9]+'), "''") }} as letters,
        concat(' ', {{ replaced('folders.folder_name', pattern_text('[^a-z0-9]+'), "' '") }}, ' ') as folder_words,
        {{ length_above('folders.path', 'folders.folder_name') }} as folder_length
    from folders
    inner join repositories on folders.repository_id = repositories.repository_id
),

named as (
    select
        *,
        substr(path, 1, folder_length) as folder,
        substr(path, folder_length + 1) as name_below
    from lettered
    where
        folder_length > 0
        and length(letters) > 2
        and not {{ matches('letters', pattern_text(var('foreign_update_common_words'))) }}
        and position(letters in repository_letters) = 0
        and (position(folder_words in words) > 0 or position(concat(' ', letters, ' ') in words) > 0)
),

-- The folder may have been moved. Its files keep their places in it.
told as (
    select distinct
        repository_id,
        commit_sha,
        delivery_number,
        commit_number,
        is_plain,
        folder,
        substr(original_path, 1, length(original_path) - length(name_below)) as original_folder
    from named
    where
        length(original_path) > length(name_below)
        and substr(original_path, length(original_path) - length(name_below) + 1) = name_below
),

told_folders as (
    select distinct
        repository_id,
        commit_sha,
        delivery_number,
        commit_number,
        is_plain,
        original_folder
    from told
),

-- Files that name strangers and nobody of the project.
strange_files as (
    select
        commit_sha,
        path
    from {{ ref('int_exclusions__holder_files') }}
    group by commit_sha, path
    having bool_or(is_foreign) and not bool_or(is_known or is_own_name)
),

members as (
    select
        named_folders.original_folder,
        brought_files.*,
        brought_files.is_foreign or strange_files.path is not null as is_of_others
    from (select distinct repository_id, original_folder from told_folders) as named_folders
    inner join brought_files
        on
            named_folders.repository_id = brought_files.repository_id
            and substr(brought_files.original_path, 1, length(named_folders.original_folder)) = named_folders.original_folder
    left join strange_files on brought_files.commit_sha = strange_files.commit_sha and brought_files.path = strange_files.path
),

member_changes as (
    select
        members.original_folder,
        members.is_of_others,
        changes.repository_id,
        changes.commit_sha,
        changes.original_path,
        changes.lines_added,
        changes.delivery_number,
        changes.commit_number,
        changes.commit_sha = members.commit_sha as is_arrival,
        changes.status in ('M', 'R') and {{ comes_before('members', 'changes') }} as is_change,
        told_folders.commit_sha is not null as is_told,
        coalesce(sum(changes.lines_added - changes.lines_deleted) over (
            partition by changes.repository_id, members.original_folder, changes.original_path
            order by changes.delivery_number, changes.commit_number, changes.path
            rows between unbounded preceding and 1 preceding
        ), 0) as lines_before
    from members
    inner join changes
        on members.repository_id = changes.repository_id and members.original_path = changes.original_path
    left join told_folders
        on
            changes.repository_id = told_folders.repository_id
            and changes.commit_sha = told_folders.commit_sha
            and members.original_folder = told_folders.original_folder
),

sized as (
    select
        *,
        is_change
        and lines_added >= {{ var('foreign_update_lines') }}
        and {{ wide('lines_added') }} * 1000000 >= {{ wide('lines_before') }} * {{ var('foreign_update_micro') }} as is_large
    from member_changes
),

renewed as (
    select
        told_folders.repository_id,
        told_folders.commit_sha,
        told_folders.original_folder
    from told_folders
    inner join sized
        on
            told_folders.repository_id = sized.repository_id
            and told_folders.original_folder = sized.original_folder
            and (sized.commit_sha = told_folders.commit_sha or {{ comes_before('sized', 'told_folders') }})
    group by told_folders.repository_id, told_folders.commit_sha, told_folders.original_folder, told_folders.is_plain
    having
        {{ wide('sum(case when sized.is_arrival and sized.is_of_others then sized.lines_added else 0 end)') }} * 1000000
        >= {{ wide('sum(case when sized.is_arrival then sized.lines_added else 0 end)') }} 
        * case when told_folders.is_plain then {{ var('foreign_folder_micro') }} else {{ var('foreign_folder_most_micro') }} end
        and count(case when sized.is_arrival and sized.is_of_others then 1 end) > 0
        and sum(case when sized.is_change and sized.commit_sha = told_folders.commit_sha then sized.lines_added else 0 end)
        >= {{ var('foreign_update_lines') }}
        and (
            count(case when sized.is_large and sized.commit_sha = told_folders.commit_sha then 1 end) > 0
            or count(distinct case when sized.is_change and sized.commit_sha = told_folders.commit_sha then sized.original_path end) * 2
            >= count(distinct case when sized.is_arrival then sized.original_path end)
        )
        and {{ wide('sum(case when sized.is_change and not sized.is_told then sized.lines_added else 0 end)') }} * 1000000
        <= {{ wide('sum(case when sized.is_arrival then sized.lines_added else 0 end)') }} * {{ var('foreign_file_reworked_micro') }}
)

select distinct
    told.repository_id,
    told.commit_sha,
    told.folder
from told
inner join renewed
    on
        told.repository_id = renewed.repository_id
        and told.commit_sha = renewed.commit_sha
        and told.original_folder = renewed.original_folder
