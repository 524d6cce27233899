-- Changes of which most lines had been published before by one widely copied library. Where the repository is the library's own,
-- a fork or the place from which the library has its lines, they are own work: its name, its owner, a manifest or the title of its
-- README is the library's, or its lines came here first, commit after commit. A single version that is unknown may look so.

with known as (
    select * from {{ ref('stg_git__known_libraries') }}
),

files as (
    select * from {{ ref('int_files__changes') }}
),

commits as (
    select * from {{ ref('int_commits') }}
),

repositories as (
    select
        repository_id,
        {{ first_match('lower(name)', pattern_text('^[^/]+')) }} as owner_name,
        {{ first_match('lower(name)', pattern_text('[^/]*$')) }} as own_name
    from {{ ref('int_repositories') }}
),

-- A fork or a mirror may say so in its name. The site of a shop that uses a library has its name too, and other words.
repository_names as (
    select
        repository_id,
        concat(
            '/', {{ replaced('owner_name', pattern_text('[^a-z0-9]+'), "''") }},
            '/', {{ replaced('own_name', pattern_text('[^a-z0-9]+'), "''") }},
            '/', {{ replaced(
                replaced(
                    replaced('own_name', pattern_text('[-_. ]?(forked|fork|mirror|source|src|develop|project|sites|[0-9]+)$'), "''"),
                    pattern_text('^((python|google|code|apache|fork|mirror|of)[-_. ])+'), "''"
                ), pattern_text('[^a-z0-9]+'), "''"
            ) }}, '/'
        ) as names
    from repositories
),

libraries as (
    select
        known_library,
        {{ replaced('lower(known_library)', pattern_text('[^a-z0-9]+'), "''") }} as whole_name,
        {{ replaced(
            replaced('lower(known_library)', pattern_text('[-_. ](js|css)$'), "''"), pattern_text('[^a-z0-9]+'), "''"
        ) }} as short_name
    from (select distinct known_library from known) as distinct_libraries
),

named as (
    select
        repository_names.repository_id,
        libraries.known_library
    from repository_names
    inner join libraries
        on
            position(concat('/', libraries.whole_name, '/') in repository_names.names) > 0
            or position(concat('/', libraries.short_name, '/') in repository_names.names) > 0
            or position(concat('/', libraries.short_name, 'js/') in repository_names.names) > 0
),

-- Nobody writes before the first commit. The clock of an earlier time was wrong.
beginnings as (
    select
        repository_id,
        min({{ epoch_micros('authored_at') }}) as first_micros
    from commits
    where is_root
    group by repository_id
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
    left join beginnings on known.repository_id = beginnings.repository_id
    where known.compared_lines > 0 and files.authored_micros >= coalesce(beginnings.first_micros, files.authored_micros)
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

-- Samples in packages have pages of others, so the days of prose have to be known.
{% set elder_lines = "(known.published_lines - case when files.role = 'documentation' then known.published_later_lines else 0 end)" -%}
select
    files.commit_sha,
    files.path,
    files.original_path,
    concat(
        {{ with_thousands('known.published_lines') }}, ' of ', {{ with_thousands('known.compared_lines') }},
        ' sampled lines are those of ', known.known_library
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
    and {{ elder_lines }} >= {{ var('published_lines') }}
    and {{ wide(elder_lines) }} * 1000000 >= {{ wide('known.compared_lines') }} * {{ var('published_lines_micro') }}
