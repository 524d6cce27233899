-- Every sign that an AI tool had a part in a commit. Exact accounts, trailers, markers and branch shapes only: people are
-- called Claude and Devin too.

with commits as (
    select * from {{ ref('int_commits') }}
),

trailers as (
    select * from {{ ref('int_ai__trailers') }}
),

deliveries as (
    select * from {{ ref('stg_git__deliveries') }}
),

signals as (
    select * from {{ ref('ai_signals') }}
),

written as (
    select
        commit_sha,
        tool,
        {{ capped_sum('lines_added') }} as lines_added,
        {{ capped_sum('ai_lines_added') }} as ai_lines_added
    from {{ ref('int_ai_usage__commits') }}
    group by commit_sha, tool
),

-- Signs that a pull request shows hold for its delivered commits, however it was merged. A release merges many pull
-- requests: its commits keep their own ones.
pull_request_signs as (
    select
        innermost.commit_sha,
        signs.pull_request_id,
        signs.tool,
        signs.role,
        signs.signal,
        signs.matched_text,
        signs.confidence
    from {{ ref('int_pull_requests__own_signs') }} as signs
    inner join {{ ref('int_pull_requests__innermost') }} as innermost
        on signs.pull_request_id = innermost.pull_request_id
),

squashed as (
    select
        squashes.commit_sha,
        sources.*
    from {{ ref('int_pull_requests__commits') }} as squashes
    inner join {{ ref('int_pull_requests__sources') }} as sources
        on squashes.pull_request_id = sources.pull_request_id
    where squashes.how = 'squash'
),

accounts as (
    select
        commit_sha,
        cast(null as {{ dbt.type_string() }}) as pull_request_id,
        'AUTHOR' as field,
        author_address as address
    from commits
    union all
    select
        commit_sha,
        cast(null as {{ dbt.type_string() }}) as pull_request_id,
        'COMMITTER' as field,
        committer_address as address
    from commits
    union all
    -- The author of a source commit is the author of a part of its squash.
    select
        commit_sha,
        pull_request_id,
        'AUTHOR' as field,
        author_address as address
    from squashed
    union all
    select
        commit_sha,
        pull_request_id,
        case when key = 'co-authored-by' then 'CO_AUTHOR' else 'TRAILER' end as field,
        address
    from trailers
    where
        address <> ''
        -- A reviewer, tester or adviser did not write the commit.
        and key in (
            'co-authored-by', 'signed-off-by', 'co-developed-by', 'assisted-by', 'ai-assisted-by', 'generated-by'
        )
),

known_accounts as (
    select
        accounts.*,
        signals.tool,
        signals.role,
        signals.confidence
    from accounts
    inner join signals on accounts.address = signals.value and signals.signal = 'address'
    union all
    select
        accounts.*,
        signals.tool,
        signals.role,
        signals.confidence
    from accounts
    inner join signals on signals.signal = 'address_form'
    where {{ contains_and_matches('accounts.address', 'signals.value', 'signals.pattern') }}
),

by_account as (
    select
        commit_sha,
        pull_request_id,
        tool,
        -- The author wrote the commit. An account that writes alone elsewhere only assisted another author.
        case
            when field = 'AUTHOR' then 'authored'
            when role = 'authored' then 'assisted'
            else role
        end as role,
        field as signal,
        address as matched_text,
        confidence
    from known_accounts
),

authors as (
    select
        commit_sha,
        cast(null as {{ dbt.type_string() }}) as pull_request_id,
        author_name
    from commits
    union all
    select
        commit_sha,
        pull_request_id,
        author_name
    from squashed
),

by_name as (
    select
        authors.commit_sha,
        authors.pull_request_id,
        signals.tool,
        signals.role,
        'AUTHOR' as signal,
        authors.author_name as matched_text,
        signals.confidence
    from authors
    inner join signals on signals.signal in ('author_name_form', 'name_form')
    where
        {{ contains_and_matches(
            'authors.author_name', 'signals.value', 'signals.pattern', lowered='lower(authors.author_name)'
        ) }}
),

-- If a trailer has the account of a tool, the account names the tool. A model in the same trailer is no second tool.
named_in_commits as (
    select distinct
        commit_sha,
        address
    from known_accounts
),

by_trailer as (
    select
        trailers.commit_sha,
        trailers.pull_request_id,
        signals.tool,
        signals.role,
        'TRAILER' as signal,
        concat(trailers.key, ': ', trailers.value) as matched_text,
        signals.confidence
    from trailers
    inner join signals on trailers.key = signals.value and signals.signal = 'trailer'
    left join named_in_commits
        on
            trailers.commit_sha = named_in_commits.commit_sha
            and trailers.address = named_in_commits.address
            and signals.tool = 'disclosed'
    where
        named_in_commits.address is null
        and {{ matches('trailers.value', 'signals.pattern') }}
),

texts as (
    select
        commit_sha,
        cast(null as {{ dbt.type_string() }}) as pull_request_id,
        concat(subject, chr(10), body) as text,
        lower(concat(subject, chr(10), body)) as lowered
    from {{ ref('stg_git__commits') }}
    union all
    select
        commit_sha,
        pull_request_id,
        concat(subject, chr(10), body) as text,
        lower(concat(subject, chr(10), body)) as lowered
    from squashed
),

by_marker as (
    select
        texts.commit_sha,
        texts.pull_request_id,
        signals.tool,
        signals.role,
        'MARKER' as signal,
        {{ first_match('texts.text', 'signals.pattern') }} as matched_text,
        signals.confidence
    from texts
    inner join signals on signals.signal = 'marker'
    where {{ contains_and_matches('texts.text', 'signals.value', 'signals.pattern', lowered='texts.lowered') }}
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
    inner join signals on signals.signal = 'branch'
    where
        case
            when left(branches.branch, length(signals.value)) = signals.value
                then {{ matches('branches.branch', 'signals.pattern') }}
            else false
        end
),

by_branch as (
    select
        commit_sha,
        cast(null as {{ dbt.type_string() }}) as pull_request_id,
        tool,
        role,
        'BRANCH' as signal,
        branch as matched_text,
        confidence
    from agent_branches
),

-- A few lines that an editor completed are no assistance with the commit.
by_vendor as (
    select
        written.commit_sha,
        cast(null as {{ dbt.type_string() }}) as pull_request_id,
        signals.tool,
        signals.role,
        'VENDOR_REPORT' as signal,
        concat(written.ai_lines_added, ' of ', written.lines_added, ' added lines') as matched_text,
        signals.confidence
    from written
    inner join signals on written.tool = signals.value and signals.signal = 'vendor_report'
    where
        {{ wide('written.ai_lines_added') }} * 1000000
        >= {{ wide('written.lines_added') }} * {{ var('ai_written_share_micro') }}
),

every as (
    select * from by_account
    union all
    select * from by_name
    union all
    select * from by_trailer
    union all
    select * from by_marker
    union all
    select * from by_branch
    union all
    select * from by_vendor
    union all
    select * from pull_request_signs
)

select
    commits.commit_id,
    every.commit_sha,
    every.tool,
    every.role,
    every.signal,
    substr(every.matched_text, 1, 200) as matched_text,
    max(cast(every.confidence as double)) as confidence,
    -- The pull request that shows the sign; null where the commit itself shows it.
    min(every.pull_request_id) as pull_request_id
from every
inner join commits on every.commit_sha = commits.commit_sha
group by
    commits.commit_id, every.commit_sha, every.tool, every.role, every.signal, substr(every.matched_text, 1, 200)
