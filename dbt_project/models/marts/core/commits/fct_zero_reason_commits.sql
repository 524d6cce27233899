-- A commit is counted once, under its own reason; its files and new lines under theirs.

with commits as (
    select * from {{ ref('fct_commits') }}
    where delivery_sha is not null
),

reasons as (
    select * from {{ ref('fct_commit_reasons') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

authors as (
    select * from {{ ref('int_teams__authors') }}
),

parts as (
    select
        commit_sha,
        zero_reason,
        cast(0 as bigint) as commits,
        files,
        lines_added
    from reasons
    union all
    select
        commit_sha,
        zero_reason,
        cast(1 as bigint) as commits,
        cast(0 as bigint) as files,
        cast(0 as bigint) as lines_added
    from commits
),

summed as (
    select
        commit_sha,
        zero_reason,
        cast(sum(commits) as bigint) as commits,
        cast(sum(files) as bigint) as files,
        cast(sum(lines_added) as bigint) as lines_added
    from parts
    group by commit_sha, zero_reason
)

select
    commits.commit_id,
    summed.commit_sha,
    summed.zero_reason,
    commits.repository_id,
    commits.developer_id,
    authors.team_id,
    commits.is_bot,
    repositories.is_sandbox,
    commits.delivered_on,
    summed.commits,
    summed.files,
    summed.lines_added
from summed
inner join commits on summed.commit_sha = commits.commit_sha
inner join repositories on commits.repository_id = repositories.repository_id
left join authors on commits.commit_sha = authors.commit_sha and commits.developer_id = authors.developer_id
