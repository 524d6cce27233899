with facts as (
    select * from {{ ref('dim_objectives') }}
)

select
    objective_id,
    level,
    parent_id,
    depth,
    connection_id,
    connection_name,
    connection_kind,
    key,
    type_name,
    title,
    status,
    status_category,
    is_overdue,
    start_on,
    target_on,
    created_at,
    completed_at,
    owner,
    owner_name,
    tracker_team_key,
    tracker_team_name,
    team_id,
    url,
    child_count,
    issue_count,
    done_issue_count,
    canceled_issue_count,
    etv_micro,
    commits,
    contributor_count,
    first_delivered_on,
    last_delivered_on,
    '{{ var("calculation_version") }}' as calculation_version
from facts
