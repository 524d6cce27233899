-- Signs of AI tools that a pull request itself shows: its author's account, its branch, its
-- text and its labels.

with pull_requests as (
    select * from {{ ref('stg_hosts__pull_requests') }}
),

signals as (
    select * from {{ ref('ai_signals') }}
),

by_author as (
    select
        pull_requests.pull_request_id,
        signals.tool,
        signals.role,
        'PULL_REQUEST_AUTHOR' as signal,
        pull_requests.written_author as matched_text,
        signals.confidence
    from pull_requests
    inner join signals
        on
            signals.signal = 'login'
            and pull_requests.author in (signals.value, concat(signals.value, '[bot]'))
    -- People may have the name of a tool. Only the host can say that an account is an app.
    where pull_requests.author_kind = 'bot'
),

by_branch as (
    select
        pull_requests.pull_request_id,
        signals.tool,
        signals.role,
        'BRANCH' as signal,
        pull_requests.source_branch as matched_text,
        signals.confidence
    from pull_requests
    inner join signals on signals.signal = 'branch'
    where
        case
            when left(pull_requests.source_branch, length(signals.value)) = signals.value
                then {{ matches('pull_requests.source_branch', 'signals.pattern') }}
            else false
        end
),

texts as (
    select
        pull_request_id,
        concat(title, chr(10), body) as text,
        lower(concat(title, chr(10), body)) as lowered
    from pull_requests
),

by_text as (
    select
        texts.pull_request_id,
        signals.tool,
        signals.role,
        'PULL_REQUEST_TEXT' as signal,
        {{ first_match('texts.text', 'signals.pattern') }} as matched_text,
        signals.confidence
    from texts
    inner join signals on signals.signal in ('marker', 'description')
    where {{ contains_and_matches('texts.text', 'signals.value', 'signals.pattern', lowered='texts.lowered') }}
),

-- Blocks of code and lines that a colon announces quote somebody.
own_lines as (
    select
        pull_request_id,
        {{ each(lines_of(replaced(
            'body',
            pattern_text('(?i)```(?s:.*?)```|~~~(?s:.*?)~~~|:[ \\t\\r]*\\n[ \\t\\r\\n]*co-authored-by[^\\n]*'), "' '"
        ))) }} as line
    from pull_requests
    where position('co-authored-by' in lower(body)) > 0
),

co_authors as (
    select
        pull_request_id,
        line,
        {{ compared_address(first_match('line', pattern_text('<([^<>\\s]+@[^<>\\s]+)>[ \\t\\r]*$'), 1)) }} as address
    from own_lines
    where left(lower(line), 15) = 'co-authored-by:'
),

by_co_author as (
    select
        co_authors.pull_request_id,
        signals.tool,
        case when signals.role = 'authored' then 'assisted' else signals.role end as role,
        'PULL_REQUEST_TEXT' as signal,
        trim(co_authors.line) as matched_text,
        signals.confidence
    from co_authors
    inner join signals on co_authors.address = signals.value and signals.signal = 'address'
),

labels as (
    select
        pull_request_id,
        {{ each('labels') }} as label
    from pull_requests
    where {{ size_of('labels') }} > 0
),

by_label as (
    select
        labels.pull_request_id,
        signals.tool,
        signals.role,
        'PULL_REQUEST_LABEL' as signal,
        labels.label as matched_text,
        signals.confidence
    from labels
    inner join signals on lower(labels.label) = signals.value and signals.signal = 'label'
),

every as (
    select * from by_author
    union all
    select * from by_branch
    union all
    select * from by_text
    union all
    select * from by_label
    union all
    select * from by_co_author
)

select * from every
