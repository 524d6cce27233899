-- The rows that figures of pull requests sum, without titles and names.
select
    merged_on,
    repository_id,
    team_id,
    developer_id,
    is_bot,
    is_sandbox,
    is_ai_assisted,
    reviewer_count > 0 as is_reviewed,
    etv_micro,
    rework_share_micro,
    {% for measure in ['cycle', 'pickup', 'review', 'approval', 'merge'] -%}
    {{ measure }}_hours_micro,
    {{ measure }}_working_hours_micro{{ ',' if not loop.last }}
    {% endfor %}
from {{ ref('api_v1__pull_requests') }}
where state = 'merged' and merged_on is not null
order by merged_on, pull_request_id
