with developers as (
    select * from {{ ref('dim_developers') }}
)

select
    developer_id,
    name,
    primary_email,
    is_bot,
    bot_reason,
    kind,
    role,
    seniority,
    joined_on,
    probation_ends_on,
    left_on,
    avatar_url,
    team_id,
    team,
    cast(commit_count as bigint) as commit_count,
    cast(delivered_commit_count as bigint) as delivered_commit_count,
    first_delivered_at,
    last_delivered_at,
    addresses,
    known_ids,
    merge_suggestions,
    '{{ var("calculation_version") }}' as calculation_version
from developers
where not is_outsider
