with daily as (
    select * from {{ ref('fct_daily') }}
)

select
    delivered_on,
    repository_id,
    developer_id,
    team_id,
    category,
    is_bot,
    is_sandbox,
    etv_micro,
    effort_micro,
    points_micro,
    taken_back_points_micro,
    ai_etv_micro,
    aligned_etv_micro,
    roadmap_etv_micro,
    commits,
    ai_commits,
    files,
    lines_added,
    lines_deleted
from daily
