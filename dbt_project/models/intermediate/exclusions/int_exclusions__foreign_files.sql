-- Files of other projects that a commit brought in, or whose new version it brought, also by lines that were published before
-- or by many languages at once.

with arrivals as (
    select * from {{ ref('int_exclusions__foreign_arrivals') }}
),

updates as (
    select * from {{ ref('int_exclusions__foreign_updates') }}
),

published as (
    select * from {{ ref('int_exclusions__published_files') }}
),

translated as (
    select * from {{ ref('int_exclusions__translated_files') }}
),

files as (
    select * from {{ ref('int_files') }}
),

found as (
    select
        commit_sha,
        original_path,
        sign
    from arrivals
    union all
    select
        commit_sha,
        original_path,
        sign
    from updates
    union all
    select
        commit_sha,
        original_path,
        sign
    from published
    union all
    select
        commit_sha,
        original_path,
        sign
    from translated
),

-- A branch may have moved the file before it was delivered.
changed as (
    select
        found.commit_sha,
        files.path,
        found.sign
    from found
    inner join files on found.commit_sha = files.commit_sha and found.original_path = files.original_path
),

bringers as (
    select distinct commit_sha
    from changed
),

-- All files of these commits, by the name up to its last dot.
named as (
    select
        files.commit_sha,
        files.path,
        files.lines_added = 0 and files.novel_lines > 0 as is_elsewhere,
        {{ first_match('lower(files.path)', pattern_text(var('name_up_to_last_dot')), 1) }} as stem,
        changed.sign
    from files
    left join changed on files.commit_sha = changed.commit_sha and files.path = changed.path
    inner join bringers on files.commit_sha = bringers.commit_sha
    where files.commit_status <> 'D'
),

-- Where the branch put it into another folder in two steps, its lines were delivered under a path that the commit does not have.
moved as (
    select
        elsewhere.commit_sha,
        elsewhere.path,
        max(here.sign) as sign
    from named as elsewhere
    inner join named as here on elsewhere.commit_sha = here.commit_sha and elsewhere.stem = here.stem
    where elsewhere.is_elsewhere and elsewhere.sign is null and not here.is_elsewhere
    group by elsewhere.commit_sha, elsewhere.path
    having count(*) = count(here.sign)
),

brought as (
    select * from changed
    union all
    select * from moved
)

select
    commit_sha,
    path,
    min(sign) as sign
from brought
group by commit_sha, path
