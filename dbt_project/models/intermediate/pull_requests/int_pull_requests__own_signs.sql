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
)

select * from every
