-- Commits of which nothing counts, each with the first reason that applies.

with commits as (
    select * from {{ ref('int_delivered_commits') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

imports as (
    select * from {{ ref('int_exclusions__burst_commits') }}
),

decisions as (
    select * from {{ ref('int_exclusions__decisions') }}
),

waiting as (
    select * from {{ ref('int_exclusions__waiting') }}
),

judged as (
    select
        commits.commit_sha,
        case
            when decisions.is_excluded then 'EXCLUDED_BY_HAND'
            when repositories.is_excluded then 'EXCLUDED'
            when commits.delivered_at < repositories.analysis_start_at then 'BEFORE_START'
            when waiting.commit_sha is not null then 'WAITING'
            when commits.is_bot then 'BOT'
            when decisions.commit_sha is not null then null
            when not imports.is_waiting then 'IMPORT'
            when imports.is_waiting then 'IMPORT_WAITING'
        end as zero_reason
    from commits
    inner join repositories on commits.repository_id = repositories.repository_id
    left join imports on commits.commit_sha = imports.commit_sha
    left join waiting
        on commits.commit_sha = waiting.commit_sha and commits.repository_id = waiting.repository_id
    left join decisions on commits.commit_sha = decisions.commit_sha
)

select
    commit_sha,
    zero_reason
from judged
where zero_reason is not null
