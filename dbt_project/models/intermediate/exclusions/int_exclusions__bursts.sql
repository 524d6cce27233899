-- The evidence of a burst: arrived lines with their time, the reworked part, and other work of the developer.

with burst_commits as (
    select * from {{ ref('int_exclusions__commits') }}
    where burst_id is not null
),

arrivals as (
    select * from {{ ref('int_exclusions__arrivals') }}
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

decisions as (
    select * from {{ ref('int_exclusions__decisions') }}
    where not is_excluded
),

totals as (
    select
        burst_commits.burst_id,
        burst_commits.rule,
        burst_commits.first_commit_sha,
        min(burst_commits.repository_id) as repository_id,
        count(distinct burst_commits.repository_id) as repositories,
        {{ collected_distinct('burst_commits.repository_id') }} as repository_ids,
        min(burst_commits.delivery_sha) as delivery_sha,
        min(burst_commits.developer_id) as developer_id,
        bool_or(burst_commits.is_excluded) as is_excluded,
        bool_or(burst_commits.is_sandbox) as is_sandbox,
        min(burst_commits.authored_micros) as start_micros,
        max(burst_commits.authored_micros) as end_micros,
        max(case when burst_commits.is_waiting then burst_commits.evidence_until_micros end) as evidence_until_micros,
        count(*) as commits,
        count(decisions.commit_sha) as counted_commits,
        sum(burst_commits.new_files) as new_files,
        sum(burst_commits.novel_micro) as novel_micro,
        sum(burst_commits.arrived_micro) as arrived_micro,
        sum(burst_commits.reworked_micro) as reworked_micro
    from burst_commits
    left join decisions on burst_commits.commit_sha = decisions.commit_sha
    group by burst_commits.burst_id, burst_commits.rule, burst_commits.first_commit_sha
),

-- Commits that another rule took already do not count as ordinary work beside the burst.
others as (
    select
        arrivals.*,
        burst_commits.rule
    from arrivals
    left join burst_commits on arrivals.commit_sha = burst_commits.commit_sha
),

worked as (
    select
        totals.burst_id,
        sum(others.worked_micro) as worked_micro
    from totals
    inner join others
        on
            totals.developer_id = others.developer_id
            and totals.is_excluded = others.is_excluded
            and totals.is_sandbox = others.is_sandbox
            and totals.start_micros <= others.authored_micros
            and totals.end_micros >= others.authored_micros
    where
        totals.rule in ('HOUR', 'DAY', 'FORTNIGHT')
        and coalesce(others.rule, '') not in ('UNRELATED_ROOT', 'FIRST_COMMIT', 'SUBTREE', 'ONE_COMMIT')
        and (totals.rule = 'HOUR' or coalesce(others.rule, '') <> 'HOUR')
    group by totals.burst_id
)

select
    totals.burst_id,
    totals.rule,
    case
        when totals.counted_commits = totals.commits then 'COUNTED'
        when totals.evidence_until_micros is not null then 'WAITING_FOR_EVIDENCE'
        else 'IMPORT'
    end as status,
    -- A merged history has many authors; the author of the merge brought it in.
    coalesce(
        case when totals.rule = 'UNRELATED_ROOT' then deliveries.developer_id end, totals.developer_id
    ) as developer_id,
    totals.first_commit_sha,
    totals.repository_ids,
    totals.start_micros,
    totals.end_micros,
    totals.evidence_until_micros,
    cast(totals.commits as bigint) as commits,
    cast(totals.counted_commits as bigint) as counted_commits,
    cast(totals.new_files as bigint) as new_files,
    {{ whole_ratio('totals.novel_micro', '1000000') }} as novel_lines,
    {{ whole_ratio('totals.arrived_micro', '1000000') }} as arrived_lines,
    case
        when totals.arrived_micro > 0
            then {{ wide_ratio(wide('totals.reworked_micro') ~ ' * 1000000', wide('totals.arrived_micro')) }}
    end as reworked_share_micro,
    case
        when worked.worked_micro + totals.arrived_micro > 0
            then
                {{ wide_ratio(wide('worked.worked_micro') ~ ' * 1000000', wide('worked.worked_micro + totals.arrived_micro')) }}
    end as worked_share_micro
from totals
left join worked on totals.burst_id = worked.burst_id
left join commits as deliveries on totals.delivery_sha = deliveries.commit_sha
