-- Which delivered commits are a pull request's. The commit with which it ended decides: a merge brought its side of the
-- history; a commit that is on the source branch itself was fast-forwarded; one that equals a source commit in author,
-- time and subject was rebased; any other one is the squash.

with pull_requests as (
    select * from {{ ref('int_pull_requests__ends') }}
),

commits as (
    select * from {{ ref('stg_git__commits') }}
),

sources as (
    select * from {{ ref('int_pull_requests__sources') }}
),

{{ delivered_facts() }},

ends as (
    select
        pull_requests.*,
        facts.delivery_sha,
        facts.position,
        facts.is_merge,
        facts.commit_sha = facts.delivery_sha as is_delivery,
        count(*) over (partition by pull_requests.repository_id, facts.commit_sha) as sharers
    from pull_requests
    inner join facts on pull_requests.repository_id = facts.repository_id and pull_requests.end_sha = facts.commit_sha
),

on_branch as (
    select
        ends.pull_request_id,
        facts.commit_sha
    from ends
    inner join sources on ends.pull_request_id = sources.pull_request_id
    inner join facts on sources.repository_id = facts.repository_id and sources.source_sha = facts.commit_sha
    where facts.position <= ends.position
),

-- Rebased commits are the last ones up to the end, or the ones that the same merge of a longer branch delivered.
rebased as (
    select
        ends.pull_request_id,
        facts.commit_sha,
        facts.commit_sha = ends.end_sha as is_end,
        sources.source_number
    from ends
    inner join sources on ends.pull_request_id = sources.pull_request_id
    inner join facts
        on
            sources.repository_id = facts.repository_id
            and sources.author_address = facts.author_address
            and sources.authored_at = facts.authored_at
            and sources.subject = facts.subject
    where
        not ends.is_merge
        and not facts.is_merge
        and facts.position <= ends.position
        and (facts.position > ends.position - ends.commit_count or facts.delivery_sha = ends.delivery_sha)
),

last_sources as (
    select
        pull_request_id,
        max(case when not is_merge then source_number end) as source_number
    from sources
    group by pull_request_id
),

-- A squash may keep author, time and subject of its first commit. A rebase ends with the last one.
rebases as (
    select rebased.pull_request_id
    from rebased
    inner join last_sources on rebased.pull_request_id = last_sources.pull_request_id
    group by rebased.pull_request_id
    having
        max(case when rebased.is_end then 1 else 0 end) = 1
        and (
            count(distinct rebased.commit_sha) > 1
            or max(case when rebased.is_end and rebased.source_number = last_sources.source_number then 1 else 0 end) = 1
        )
),

forwards as (
    select ends.pull_request_id
    from ends
    inner join on_branch on ends.pull_request_id = on_branch.pull_request_id and ends.end_sha = on_branch.commit_sha
    where not ends.is_merge
),

listing as (
    select distinct pull_request_id
    from sources
),

judged as (
    select
        ends.*,
        listing.pull_request_id is not null as has_sources,
        case
            when ends.is_merge then 'merge'
            when forwards.pull_request_id is not null then 'fast_forward'
            when rebases.pull_request_id is not null then 'rebase'
            else 'squash'
        end as how
    from ends
    left join forwards on ends.pull_request_id = forwards.pull_request_id
    left join rebases on ends.pull_request_id = rebases.pull_request_id
    left join listing on ends.pull_request_id = listing.pull_request_id
),

every as (
    select
        pull_request_id,
        repository_id,
        end_sha as commit_sha,
        how
    from judged
    union all
    -- A merge into the default branch brings all that it delivers, unless several pull requests ended with it.
    select
        judged.pull_request_id,
        judged.repository_id,
        steps.commit_sha,
        case when steps.commit_sha = judged.squash_sha then 'squash' else 'merge' end as how
    from judged
    inner join steps on judged.repository_id = steps.repository_id and judged.delivery_sha = steps.delivery_sha
    where judged.how = 'merge' and judged.is_delivery and (judged.sharers = 1 or not judged.has_sources)
    union all
    select
        judged.pull_request_id,
        judged.repository_id,
        on_branch.commit_sha,
        judged.how
    from judged
    inner join on_branch on judged.pull_request_id = on_branch.pull_request_id
    where judged.how = 'fast_forward' or (judged.how = 'merge' and (judged.sharers > 1 or not judged.is_delivery))
    union all
    select
        judged.pull_request_id,
        judged.repository_id,
        facts.commit_sha,
        'squash' as how
    from judged
    inner join facts on judged.repository_id = facts.repository_id and judged.squash_sha = facts.commit_sha
    where judged.how = 'merge' and judged.squash_sha <> judged.end_sha
    union all
    select
        judged.pull_request_id,
        judged.repository_id,
        rebased.commit_sha,
        judged.how
    from judged
    inner join rebased on judged.pull_request_id = rebased.pull_request_id
    where judged.how = 'rebase'
)

select
    pull_request_id,
    repository_id,
    commit_sha,
    -- The merge around a squash is both a merge of its own and the end of the pull request.
    max(how) as how
from every
group by pull_request_id, repository_id, commit_sha
