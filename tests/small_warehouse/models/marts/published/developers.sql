{{ contracted('developers') }}
select
    row_number() over (order by developer_id) - 1 as position,
    developer_id,
    min(author_name) as name,
    min(author_email) as primary_email,
    false as is_bot,
    count(*) as commit_count,
    '{{ var("calculation_version") }}' as calculation_version
from {{ ref('fct_commits') }}
group by developer_id
