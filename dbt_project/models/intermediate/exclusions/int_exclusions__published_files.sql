-- Changes of which most lines had been published before by one widely copied library. Where the repository is the library's own,
-- a fork or the place from which the library has its lines, they are own work: its name, a manifest or the title of its README
-- is the library's, or its lines came here first, commit after commit. A single version that is unknown may look so.

with known as (
    select * from {{ ref('stg_git__known_libraries') }}
),

files as (
    select * from {{ ref('int_files__changes') }}
),

repositories as (
    select
        repository_id,
        concat(' ', {{ replaced('lower(name)', pattern_text('[^a-z0-9]+'), "' '") }}) as name_words
    from {{ ref('int_repositories') }}
),

named as (
    select distinct
        known.repository_id,
        known.known_library
    from known
    inner join repositories on known.repository_id = repositories.repository_id
    where
        position(
            concat(' ', {{ replaced('lower(known.known_library)', pattern_text('[^a-z0-9]+'), "' '") }})
            in repositories.name_words
        ) > 0
),

-- Changes of which the library published half of the lines later.
dated as (
    select
        known.repository_id,
        known.known_library,
        known.commit_sha,
        files.authored_micros,
        known.published_later_lines * 2 >= known.compared_lines as is_before_library
    from known
    inner join files
        on
            known.repository_id = files.repository_id
            and known.commit_sha = files.commit_sha
            and known.path = files.path
    where known.compared_lines > 0
),

sources as (
    select
        repository_id,
        known_library
    from dated
    group by repository_id, known_library
    having
        count(distinct case when is_before_library then commit_sha end) >= {{ var('published_source_commits') }}
        and min(case when is_before_library then authored_micros end)
        <= coalesce(min(case when not is_before_library then authored_micros end), min(authored_micros))
),

-- What says that the repository is the library's home.
homes as (
    select
        repository_id,
        known_library
    from named
    union distinct
    select
        repository_id,
        known_library
    from sources
    union distinct
    select
        repository_id,
        known_library
    from known
    where compared_lines = 0
)

select
    files.commit_sha,
    files.path,
    files.original_path,
    concat(
        {{ with_thousands('known.published_lines') }}, ' of ', {{ with_thousands('known.compared_lines') }},
        ' sampled lines were published by ', known.known_library, ' before'
    ) as sign
from known
inner join files
    on
        known.repository_id = files.repository_id
        and known.commit_sha = files.commit_sha
        and known.path = files.path
left join homes on known.repository_id = homes.repository_id and known.known_library = homes.known_library
where
    homes.known_library is null
    and known.published_lines >= {{ var('published_lines') }}
    and {{ wide('known.published_lines') }} * 1000000 >= {{ wide('known.compared_lines') }} * {{ var('published_lines_micro') }}
