-- Changes of files from other projects that state the names of their strangers again, one of them with other years or in the next
-- kept comment, and no other name. People who patch a file leave these lines alone, or write their own name too. A change that
-- states the name of the file with a version at its top, without years, brought that version, whatever its size.

with arrivals as (
    select * from {{ ref('int_exclusions__foreign_arrivals') }}
),

changes as (
    select * from {{ ref('int_files__changes') }}
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

brought_files as (
    select * from {{ ref('int_exclusions__brought_files') }}
    where is_foreign
),

-- Names without years, address and author, in the letters with which files are called.
versions as (
    select
        changes.repository_id,
        changes.original_path,
        changes.commit_sha,
        changes.path,
        {{ replaced('holder_names.holder', pattern_text('[^a-z]+'), "''") }} as letters,
        {{ replaced(first_match('lower(changes.path)', pattern_text('([^/.]+)[^/]*$'), 1), pattern_text('[^a-z]+'), "''") }} as stem
    from holder_names
    inner join changes on holder_names.commit_sha = changes.commit_sha and holder_names.path = changes.path
    where
        changes.status in ('M', 'R')
        and holder_names.first_year is null
        and holder_names.last_year is null
        and holder_names.address is null
        and not holder_names.is_author
),

versioned as (
    select distinct
        versions.commit_sha,
        versions.path
    from versions
    inner join brought_files
        on versions.repository_id = brought_files.repository_id and versions.original_path = brought_files.original_path
    where
        length(versions.letters) >= {{ var('foreign_version_letters') }}
        and length(versions.stem) >= {{ var('foreign_version_letters') }}
        and (
            position(versions.letters in versions.stem) = 1
            or position(versions.stem in versions.letters) = 1
        )
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
        changes.repository_id,
        changes.original_path,
        changes.commit_sha,
        changes.path,
        changes.status,
        changes.delivery_number,
        changes.commit_number,
        holder_names.holder,
        holder_names.is_author,
        coalesce(holder_names.address, '') as address,
        coalesce(holder_names.first_year, 0) as first_year,
        coalesce(holder_names.last_year, 0) as last_year
    from holder_names
    inner join changes on holder_names.commit_sha = changes.commit_sha and holder_names.path = changes.path
    inner join (select distinct repository_id, original_path from strangers) as foreign_files
        on changes.repository_id = foreign_files.repository_id and changes.original_path = foreign_files.original_path
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

restated as (
    select
        named.commit_sha,
        named.path
    from named
    left join versioned on named.commit_sha = versioned.commit_sha and named.path = versioned.path
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
    where named.status in ('M', 'R') and versioned.path is null
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
)

select
    commit_sha,
    path,
    false as is_version
from restated
union all
select
    commit_sha,
    path,
    true as is_version
from versioned
