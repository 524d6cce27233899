-- Amending a commit keeps its author time, so that of the committer counts where the clone or the host knows it. A rebase
-- on the target branch writes all commits at once and changes none of them, so there the author times count.

with sources as (
    select * from {{ ref('stg_hosts__pull_request_commits') }}
    where not subject like 'Merge %branch%'
),

commits as (
    select * from {{ ref('stg_git__commits') }}
),

dated as (
    select
        sources.pull_request_id,
        coalesce(commits.authored_at, sources.authored_at) as authored_at,
        coalesce(commits.committed_at, sources.committed_at, sources.authored_at) as committed_at
    from sources
    left join commits on sources.repository_id = commits.repository_id and sources.source_sha = commits.commit_sha
),

spans as (
    select
        *,
        count(*) over (partition by pull_request_id) as listed_commits,
        {{ epoch_micros('max(committed_at) over (partition by pull_request_id)') }}
        - {{ epoch_micros('min(committed_at) over (partition by pull_request_id)') }} as span_micros
    from dated
),

written as (
    select
        pull_request_id,
        'commit' as turn,
        case
            when listed_commits > 1 and span_micros <= {{ var('rebase_seconds') }} * 1000000 then authored_at
            else greatest(authored_at, committed_at)
        end as happened_at
    from spans
),

answered as (
    select
        pull_request_id,
        case when is_author then 'reply' else 'answer' end as turn,
        happened_at
    from {{ ref('int_pull_requests__events') }}
    where kind in {{ review_kinds() }} and (is_author or is_person)
)

select
    pull_request_id,
    turn,
    happened_at
from written
where happened_at is not null
union distinct
select
    pull_request_id,
    turn,
    happened_at
from answered
