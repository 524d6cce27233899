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
)

-- A branch may have moved the file before it was delivered.
select
    found.commit_sha,
    files.path,
    min(found.sign) as sign
from found
inner join files on found.commit_sha = files.commit_sha and found.original_path = files.original_path
group by found.commit_sha, files.path
