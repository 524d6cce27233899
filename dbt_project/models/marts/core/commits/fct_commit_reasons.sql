with files as (
    select * from {{ ref('fct_commit_files') }}
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

sized as (
    select
        files.commit_sha,
        files.zero_reason,
        {{ new_lines('files', 'commits.is_merge') }} as lines_added
    from files
    inner join commits on files.commit_sha = commits.commit_sha
)

select
    commit_sha,
    zero_reason,
    count(*) as files,
    cast(sum(lines_added) as bigint) as lines_added
from sized
group by commit_sha, zero_reason
