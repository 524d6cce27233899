-- Commits that sessions name themselves. An abbreviated id that two commits share names neither.

with links as (
    select * from {{ ref('stg_telemetry__links') }}
    where session_id is not null
),

commits as (
    select commit_sha from {{ ref('int_commits') }}
),

named as (
    select
        links.event_key,
        links.tool,
        links.session_id,
        min(commits.commit_sha) as commit_sha
    from links
    inner join commits
        on
            substr(links.commit_sha, 1, 7) = substr(commits.commit_sha, 1, 7)
            and links.commit_sha = substr(commits.commit_sha, 1, length(links.commit_sha))
    group by links.event_key, links.tool, links.session_id
    having count(*) = 1
)

select distinct
    tool,
    session_id,
    commit_sha
from named
