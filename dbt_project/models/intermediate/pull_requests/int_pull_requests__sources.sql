-- Commits of the source branches of ended pull requests, with what review refs know of them. Also of closed ones, because
-- they may have landed.

with pull_requests as (
    select * from {{ ref('stg_hosts__pull_requests') }}
    where state <> 'open'
),

listed as (
    select * from {{ ref('stg_hosts__pull_request_commits') }}
),

commits as (
    select * from {{ ref('stg_git__commits') }}
),

counted as (
    select
        pull_request_id,
        count(*) as sources
    from listed
    group by pull_request_id
),

described as (
    select
        {{ source_columns() }},
        coalesce(trim(commits.author_name), listed.author_name) as author_name,
        coalesce(commits.body, listed.body) as body,
        cast(commits.lines_added + commits.lines_deleted as bigint) as changed_lines,
        counted.sources >= pull_requests.commit_count as is_complete
    from listed
    inner join pull_requests on listed.pull_request_id = pull_requests.pull_request_id
    inner join counted on listed.pull_request_id = counted.pull_request_id
    left join commits on listed.repository_id = commits.repository_id and listed.source_sha = commits.commit_sha
)

select
    *,
    -- The authors share a squash by changed lines where all are known, else by the number of commits.
    case
        when count(case when not is_merge then 1 end) over (partition by pull_request_id)
        = count(case when not is_merge then changed_lines end) over (partition by pull_request_id)
            then greatest(changed_lines, 1)
        else 1
    end as weight
from described
