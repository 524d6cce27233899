-- The people behind each source commit of a squash: its author, and the co-authors in the last paragraph of its message.

with squashes as (
    select * from {{ ref('int_pull_requests__commits') }}
    where how = 'squash'
),

sources as (
    select * from {{ ref('int_pull_requests__sources') }}
    where not is_merge and (author_address <> '' or author_name <> '')
),

-- Pull requests that ended with one squash may list the same commit.
units as (
    select
        squashes.commit_sha,
        squashes.repository_id,
        sources.source_sha,
        min(sources.source_number) as source_number,
        max(sources.author_name) as author_name,
        max(sources.author_address) as author_address,
        max(sources.body) as body,
        max(sources.weight) as weight,
        bool_and(sources.is_complete) as is_complete
    from squashes
    inner join sources on squashes.pull_request_id = sources.pull_request_id
    group by squashes.commit_sha, squashes.repository_id, sources.source_sha
),

endings as (
    select
        *,
        {{ first_match(
            "concat(chr(10), body)",
            pattern_text(
                "(?:\\n {0,2}(?:[A-Za-z][A-Za-z-]*:[^\\n]*|-{3,})?[ \\t\\r]*)*$"
            )
        ) }} as ending
    from units
    where position('co-authored-by:' in lower(body)) > 0
),

lines as (
    select
        commit_sha,
        repository_id,
        source_sha,
        {{ each_numbered(lines_of('ending'), 'line_number', 'line') }}
    from endings
),

named as (
    select
        commit_sha,
        repository_id,
        source_sha,
        line_number,
        {{ first_match('line', pattern_text('(?i)^ *co-authored-by:[ \\t]*([^\\r]*)'), 1) }} as value
    from lines
    where lower(line) like '%co-authored-by:%'
),

coauthors as (
    select
        commit_sha,
        repository_id,
        source_sha,
        line_number,
        trim({{ first_match('value', pattern_text('^[^<]*')) }}) as given_name,
        {{ compared_address(first_match('value', pattern_text('[^<>\\s]+@[^<>\\s]+'))) }} as address
    from named
)

select
    commit_sha,
    repository_id,
    source_sha,
    source_number,
    0 as place,
    author_name as name,
    author_address as address,
    weight,
    is_complete
from units
union all
select
    coauthors.commit_sha,
    coauthors.repository_id,
    coauthors.source_sha,
    units.source_number,
    coauthors.line_number as place,
    case when coauthors.given_name like '%@%' then '' else coauthors.given_name end as name,
    coauthors.address,
    units.weight,
    units.is_complete
from coauthors
inner join units
    on
        coauthors.commit_sha = units.commit_sha
        and coauthors.repository_id = units.repository_id
        and coauthors.source_sha = units.source_sha
where coauthors.address <> '' or coauthors.given_name <> ''
