-- The people behind each source commit: its author, and the co-authors in the last paragraph of its message.

with sources as (
    select * from {{ ref('int_pull_requests__sources') }}
    where not is_merge and (author_address <> '' or author_name <> '')
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
    from sources
    where position('co-authored-by:' in lower(body)) > 0
),

lines as (
    select
        pull_request_id,
        source_number,
        {{ each_numbered(lines_of('ending'), 'line_number', 'line') }}
    from endings
),

named as (
    select
        pull_request_id,
        source_number,
        line_number,
        {{ first_match('line', pattern_text('(?i)^ *co-authored-by:[ \\t]*([^\\r]*)'), 1) }} as value
    from lines
    where lower(line) like '%co-authored-by:%'
),

coauthors as (
    select
        pull_request_id,
        source_number,
        line_number,
        trim({{ first_match('value', pattern_text('^[^<]*')) }}) as given_name,
        {{ compared_address(first_match('value', pattern_text('[^<>\\s]+@[^<>\\s]+'))) }} as address
    from named
)

select
    pull_request_id,
    source_sha,
    source_number,
    0 as place,
    author_name as name,
    author_address as address,
    weight,
    is_complete
from sources
union all
select
    coauthors.pull_request_id,
    sources.source_sha,
    coauthors.source_number,
    coauthors.line_number as place,
    case when coauthors.given_name like '%@%' then '' else coauthors.given_name end as name,
    coauthors.address,
    sources.weight,
    sources.is_complete
from coauthors
inner join sources
    on coauthors.pull_request_id = sources.pull_request_id and coauthors.source_number = sources.source_number
where coauthors.address <> '' or coauthors.given_name <> ''
