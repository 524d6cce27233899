with addresses as (
    select * from {{ ref('int_identity__developers') }}
),

suggestions as (
    select * from {{ ref('int_identity__suggestions') }}
),

commits as (
    select * from {{ ref('fct_commits') }}
),

ordered as (
    select
        *,
        row_number() over (
            partition by developer_id order by authored_commits desc, first_used_at, address, name
        ) as place
    from addresses
),

people as (
    select
        developer_id,
        max(case when place = 1 then name end) as name,
        max(case when place = 1 then address end) as primary_email,
        bool_or(is_robot) as is_bot,
        min(robot_reason) as bot_reason,
        {{ collected(struct_of({
            'name': 'name', 'email': 'address', 'reason': 'reason', 'commits': 'cast(authored_commits as bigint)'
        })) }} as addresses
    from ordered
    group by developer_id
),

suggested as (
    select
        developer_id,
        {{ collected(struct_of({'developer_id': 'suggested_developer_id', 'reason': 'reason'})) }} as merge_suggestions
    from suggestions
    group by developer_id
),

activity as (
    select
        developer_id,
        count(*) as commit_count,
        count(delivered_at) as delivered_commit_count,
        min(delivered_at) as first_delivered_at,
        max(delivered_at) as last_delivered_at
    from commits
    group by developer_id
)

select
    people.developer_id,
    people.name,
    people.primary_email,
    people.is_bot,
    people.bot_reason,
    people.addresses,
    suggested.merge_suggestions,
    coalesce(activity.commit_count, 0) as commit_count,
    coalesce(activity.delivered_commit_count, 0) as delivered_commit_count,
    activity.first_delivered_at,
    activity.last_delivered_at
from people
left join suggested on people.developer_id = suggested.developer_id
left join activity on people.developer_id = activity.developer_id
