select
    delivered_on,
    repository_id,
    developer_id,
    category,
    false as is_bot,
    false as is_sandbox,
    sum(etv_micro)::bigint as etv_micro,
    sum(effort_micro)::bigint as effort_micro,
    0 as points_micro,
    0 as ai_etv_micro,
    0 as aligned_etv_micro,
    0 as roadmap_etv_micro,
    count(*) as commits,
    0 as ai_commits,
    sum(files_changed)::bigint as files,
    sum(lines_added)::bigint as lines_added,
    sum(lines_deleted)::bigint as lines_deleted
from {{ ref('fct_commits') }}
where is_counted
group by all
