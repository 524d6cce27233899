-- Every sign that an AI tool had a part in a commit. Exact accounts, trailers, markers and branch shapes only: people are
-- called Claude and Devin too.

with commits as (
    select * from {{ ref('int_commits') }}
),

messages as (
    select * from {{ ref('stg_git__commits') }}
),

coauthors as (
    select * from {{ ref('int_commit_coauthors') }}
),

deliveries as (
    select * from {{ ref('stg_git__deliveries') }}
),

signals as (
    select * from {{ ref('ai_signals') }}
),

accounts as (
    select
        commit_sha,
        'AUTHOR' as field,
        author_address as address
    from commits
    union all
    select
        commit_sha,
        'COMMITTER' as field,
        committer_address as address
    from commits
    union all
    select
        commit_sha,
        'CO_AUTHOR' as field,
        address
    from coauthors
    where address <> ''
),

by_account as (
    select
        accounts.commit_sha,
        signals.tool,
        signals.role,
        accounts.field as signal,
        accounts.address as matched_text,
        signals.confidence
    from accounts
    inner join signals on accounts.address = signals.value and signals.signal = 'address'
),

by_account_form as (
    select
        accounts.commit_sha,
        signals.tool,
        signals.role,
        accounts.field as signal,
        accounts.address as matched_text,
        signals.confidence
    from accounts
    inner join signals on position(signals.value in accounts.address) > 0 and signals.signal = 'address_form'
    where {{ matches('accounts.address', 'signals.pattern') }}
),

by_name as (
    select
        commits.commit_sha,
        signals.tool,
        signals.role,
        'AUTHOR' as signal,
        commits.author_name as matched_text,
        signals.confidence
    from commits
    inner join signals
        on position(signals.value in commits.author_name) > 0 and signals.signal = 'author_name_form'
    where {{ matches('commits.author_name', 'signals.pattern') }}
),

trailers as (
    select
        commit_sha,
        repository_id,
        {{ each('trailers') }} as trailer
    from messages
    where {{ size_of('trailers') }} > 0
),

by_trailer as (
    select
        trailers.commit_sha,
        signals.tool,
        signals.role,
        'TRAILER' as signal,
        concat(trailers.trailer.key, ': ', trailers.trailer.value) as matched_text,
        signals.confidence
    from trailers
    inner join signals on lower(trailers.trailer.key) = signals.value and signals.signal = 'trailer'
    where {{ matches('trailers.trailer.value', 'signals.pattern') }}
),

by_marker as (
    select
        messages.commit_sha,
        signals.tool,
        signals.role,
        'MARKER' as signal,
        {{ first_match("concat(messages.subject, chr(10), messages.body)", 'signals.pattern') }} as matched_text,
        signals.confidence
    from messages
    inner join signals
        on
            position(signals.value in lower(concat(messages.subject, chr(10), messages.body))) > 0
            and signals.signal = 'marker'
    where {{ matches("concat(messages.subject, chr(10), messages.body)", 'signals.pattern') }}
),

branches as (
    select
        repository_id,
        commit_shas,
        {{ each('branch_names') }} as branch
    from deliveries
    where {{ size_of('branch_names') }} > 0
),

agent_branches as (
    select
        branches.branch,
        signals.tool,
        signals.role,
        signals.confidence,
        {{ each('branches.commit_shas') }} as commit_sha
    from branches
    inner join signals
        on left(branches.branch, length(signals.value)) = signals.value and signals.signal = 'branch'
    where {{ matches('branches.branch', 'signals.pattern') }}
),

by_branch as (
    select
        commit_sha,
        tool,
        role,
        'BRANCH' as signal,
        branch as matched_text,
        confidence
    from agent_branches
),

every as (
    select * from by_account
    union all
    select * from by_account_form
    union all
    select * from by_name
    union all
    select * from by_trailer
    union all
    select * from by_marker
    union all
    select * from by_branch
)

select
    commits.commit_id,
    every.commit_sha,
    every.tool,
    every.role,
    every.signal,
    substr(every.matched_text, 1, 200) as matched_text,
    max(cast(every.confidence as double)) as confidence
from every
inner join commits on every.commit_sha = commits.commit_sha
group by
    commits.commit_id, every.commit_sha, every.tool, every.role, every.signal, substr(every.matched_text, 1, 200)
