-- How many files name each holder, how they came, in how many folders they stand, and of how many of their author.

with named as (
    select * from {{ ref('int_exclusions__holder_names') }}
),

traced as (
    select * from {{ ref('int_files__changes') }}
),

commits as (
    select
        commit_sha,
        repository_id,
        author_address
    from {{ ref('int_commits') }}
    where delivery_sha is not null and not is_upstream
),

changes as (
    select
        changes.repository_id,
        changes.commit_sha,
        changes.path,
        commits.author_address
    from {{ ref('stg_git__file_changes') }} as changes
    inner join commits on changes.commit_sha = commits.commit_sha and changes.repository_id = commits.repository_id
    where changes.status = 'A' and changes.role in ('source', 'test') and not {{ is_worthless_file('changes') }}
),

sizes as (
    select
        repository_id,
        count(*) as files
    from changes
    group by repository_id
),

tops as (
    select
        repository_id,
        {{ first_match('path', pattern_text('^[^/]+/')) }} as top,
        count(*) as files
    from changes
    group by repository_id, {{ first_match('path', pattern_text('^[^/]+/')) }}
),

held_tops as (
    select
        repository_id,
        holder,
        {{ first_match('path', pattern_text('^[^/]+/')) }} as top,
        count(distinct path) as files
    from named
    where status = 'A'
    group by repository_id, holder, {{ first_match('path', pattern_text('^[^/]+/')) }}
),

-- Folders at the top of which nearly all new source and test files name the holder.
filled as (
    select
        held_tops.repository_id,
        held_tops.holder,
        sum(held_tops.files) as files
    from held_tops
    inner join tops on held_tops.repository_id = tops.repository_id and held_tops.top = tops.top
    where tops.top <> '' and held_tops.files * 1000000 >= tops.files * {{ var('foreign_vendor_folder_micro') }}
    group by held_tops.repository_id, held_tops.holder
),

authored as (
    select
        repository_id,
        author_address,
        count(*) as files
    from changes
    group by repository_id, author_address
),

holders as (
    select distinct
        repository_id,
        holder,
        holder_name
    from named
),

holder_words as (
    select
        repository_id,
        holder,
        {{ each(distinct_of(words_of('holder_name'))) }} as word
    from holders
),

-- The same people in another line: "A, B and C" became "A and C".
alike as (
    select
        one.repository_id,
        one.holder,
        other.holder as other_holder
    from holder_words as one
    inner join holder_words as other on one.repository_id = other.repository_id and one.word = other.word
    where length(one.word) > 2
    group by one.repository_id, one.holder, other.holder
    having count(*) > 1 or one.holder = other.holder
),

placed as (
    select
        named.*,
        coalesce(traced.original_path, named.path) as original_path
    from named
    left join traced
        on
            named.repository_id = traced.repository_id
            and named.commit_sha = traced.commit_sha
            and named.path = traced.path
),

-- A new version of a file that came with a holder says nothing of who works on it here.
renewed as (
    select distinct
        later.repository_id,
        later.holder,
        later.commit_sha,
        later.path
    from placed as later
    inner join alike on later.repository_id = alike.repository_id and later.holder = alike.holder
    inner join placed as first
        on
            later.repository_id = first.repository_id
            and later.original_path = first.original_path
            and alike.other_holder = first.holder
    where later.status <> 'A' and first.status = 'A'
),

by_commit as (
    select
        named.repository_id,
        named.holder,
        named.commit_sha,
        named.holder_name,
        named.author_address,
        min(case when named.status = 'A' then named.author_name end) as author_name,
        count(case when named.status = 'A' and not named.is_author then 1 end) as copyright_lines,
        count(case when named.status = 'A' and coalesce(named.last_year >= named.authored_year, true) then 1 end) as current_lines,
        count(distinct case when named.status = 'A' then named.path end) as new_files,
        count(distinct case when named.status <> 'A' and renewed.path is null then named.path end) as changed_files
    from named
    left join renewed
        on
            named.repository_id = renewed.repository_id
            and named.holder = renewed.holder
            and named.commit_sha = renewed.commit_sha
            and named.path = renewed.path
    group by named.repository_id, named.holder, named.commit_sha, named.holder_name, named.author_address
),

counted as (
    select
        repository_id,
        holder,
        holder_name,
        sum(new_files) as new_files,
        sum(changed_files) as changed_files,
        sum(case when new_files > 0 then 1 else 0 end) as commits,
        max(new_files) as most_at_once,
        count(distinct case when new_files > 0 then author_address end) as authors,
        min(case when new_files > 0 then author_address end) as author_address,
        min(author_name) as author_name,
        sum(new_files) > 0 and sum(current_lines) = 0 as is_of_past,
        sum(new_files) > 0 and sum(copyright_lines) = 0 as is_by_author
    from by_commit
    group by repository_id, holder, holder_name
),

-- Folders of two levels, such as static/js; a file above them has a place of its own.
places as (
    select
        repository_id,
        holder,
        count(distinct path) as paths,
        count(distinct coalesce(nullif({{ first_match('path', pattern_text('^[^/]+/[^/]+/')) }}, ''), path)) as folders,
        count(distinct case
            when
                {{ matches('path', pattern_text('^[^/]+/[^/]+/')) }}
                and {{ matches('lower(path)', pattern_text(var('foreign_licence_files'))) }}
                then path
        end) as licences
    from named
    where status = 'A'
    group by repository_id, holder
)

select
    counted.repository_id,
    counted.holder,
    counted.holder_name,
    counted.new_files,
    counted.changed_files,
    counted.commits,
    counted.most_at_once,
    counted.authors,
    counted.author_address,
    counted.author_name,
    counted.is_of_past,
    counted.is_by_author,
    coalesce(authored.files, 0) as author_files,
    coalesce(places.folders, 0) as folders,
    coalesce(places.licences, 0) as licences,
    coalesce(filled.files, 0) as filled_files,
    coalesce(places.paths, 0) as new_paths,
    sizes.files as repository_files
from counted
left join places on counted.repository_id = places.repository_id and counted.holder = places.holder
left join filled on counted.repository_id = filled.repository_id and counted.holder = filled.holder
left join sizes on counted.repository_id = sizes.repository_id
left join authored on counted.repository_id = authored.repository_id and counted.author_address = authored.author_address
