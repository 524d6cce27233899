-- Co-authors of the trailers, and those whom the message names above them. The extraction leaves out quoted ones.

with messages as (
    select * from {{ ref('stg_git__commits') }}
),

trailers as (
    select
        commit_sha,
        repository_id,
        {{ each_numbered('trailers', 'trailer_number', 'trailer') }}
    from messages
    where {{ size_of('trailers') }} > 0
),

named as (
    select
        commit_sha,
        repository_id,
        trailer_number,
        trailer.value as value
    from trailers
    where lower(trailer.key) = 'co-authored-by'
),

parsed as (
    select
        commit_sha,
        repository_id,
        trailer_number,
        trim({{ first_match('value', pattern_text('^[^<]*')) }}) as given_name,
        {{ compared_address(first_match('value', pattern_text('[^<>\\s]+@[^<>\\s]+'))) }} as address
    from named
)

select
    commit_sha,
    repository_id,
    trailer_number,
    case when given_name like '%@%' then '' else given_name end as name,
    address
from parsed
where address <> '' or given_name <> ''
