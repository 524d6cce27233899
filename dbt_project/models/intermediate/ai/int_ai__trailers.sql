-- Lines "Key: value" with which a message ends. Git takes those of the last paragraph, and only where nothing else stands in
-- it. Hosts and people also write a rule, a footnote, an issue, another line or a blank line among them, and indent them by
-- a little: what is indented by more is quoted.

with messages as (
    select * from {{ ref('stg_git__commits') }}
),

-- The messages of the source commits count for their squash.
sources as (
    select * from {{ ref('int_pull_requests__sources') }}
),

squashes as (
    select * from {{ ref('int_pull_requests__commits') }}
    where how = 'squash'
),

source_bodies as (
    select
        squashes.commit_sha,
        squashes.pull_request_id,
        sources.body
    from squashes
    inner join sources on squashes.pull_request_id = sources.pull_request_id
    where position(':' in sources.body) > 0
),

parsed as (
    select
        commit_sha,
        {{ each('trailers') }} as trailer
    from messages
    where {{ size_of('trailers') }} > 0
),

keys as (
    select distinct concat(value, ':') as key_and_colon
    from {{ ref('ai_signals') }}
    where signal = 'trailer'
    union all
    select 'co-authored-by:'
),

bodies as (
    select
        commit_sha,
        cast(null as {{ dbt.type_string() }}) as pull_request_id,
        body,
        lower(body) as lowered
    from messages
    where position(':' in body) > 0
    union all
    select
        commit_sha,
        pull_request_id,
        body,
        lower(body) as lowered
    from source_bodies
),

-- A message with two keys has two rows here, and a fork repeats it. So the results are made distinct, not the texts.
candidates as (
    select
        bodies.commit_sha,
        bodies.pull_request_id,
        bodies.body
    from bodies
    inner join keys on position(keys.key_and_colon in bodies.lowered) > 0
),

endings as (
    select
        commit_sha,
        pull_request_id,
        {{ first_match(
            "concat(chr(10), body)",
            pattern_text(
                "(?:\\n {0,2}(?:[A-Za-z][A-Za-z-]*:[^\\n]*|-{3,}|\\[[^\\]\\n]*\\]:[^\\n]*"
                ~ "|(?:[Cc]lose[sd]?|[Ff]ix(?:e[sd])?|[Rr]esolve[sd]?|[Rr]ef(?:s|erences)?) [^ \\n]*[0-9][^ \\n]*)?[ \\t\\r]*)*$"
            )
        ) }} as ending
    from candidates
),

lines as (
    select
        commit_sha,
        pull_request_id,
        {{ each(lines_of('ending')) }} as line
    from endings
),

every as (
    select
        commit_sha,
        cast(null as {{ dbt.type_string() }}) as pull_request_id,
        lower(trailer.key) as key,
        trailer.value
    from parsed
    union all
    select
        commit_sha,
        pull_request_id,
        lower({{ first_match('line', pattern_text('^ *([A-Za-z-]+):'), 1) }}) as key,
        trim({{ first_match('line', pattern_text(':[ \\t]*([^\\r]*)'), 1) }}) as value
    from lines
),

with_addresses as (
    select
        commit_sha,
        pull_request_id,
        key,
        value,
        {{ compared_address(first_match('value', pattern_text('[^<>\\s]+@[^<>\\s]+'))) }} as address
    from every
    where key <> ''
),

accounts as (
    select value as address
    from {{ ref('ai_signals') }}
    where signal = 'address'
)

-- Most trailers of most histories are people's sign-offs: only an agent's are of interest.
select distinct
    with_addresses.commit_sha,
    with_addresses.pull_request_id,
    with_addresses.key,
    with_addresses.value,
    with_addresses.address
from with_addresses
left join accounts on with_addresses.address = accounts.address
where with_addresses.key <> 'signed-off-by' or accounts.address is not null
