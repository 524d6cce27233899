-- Of a merge its own lines are new; Git compares it with its first parent and finds all that the other side brought.

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
        case
            when commits.is_merge
                then
                    files.novel_lines + files.substituted_lines + files.comment_lines + files.returned_lines
                    + files.moved_lines + files.copied_lines + files.layout_lines
            else files.lines_added
        end as lines_added
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
