-- Commits whose lines replace fresh lines of their own developer. The replaced lines lose their credit, so that the
-- new lines count as if the replaced ones had never been written.

with lines as (
    select
        credited_sha,
        replaced_sha
    from {{ ref('stg_git__delivered_lines') }}
    where replaced_sha is not null
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
)

select distinct
    lines.credited_sha as commit_sha,
    lines.replaced_sha
from lines
inner join commits as credited on lines.credited_sha = credited.commit_sha
inner join commits as earlier on lines.replaced_sha = earlier.commit_sha
where credited.developer_id = earlier.developer_id
