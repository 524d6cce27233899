with addresses as (
    select * from {{ ref('int_identity__developers') }}
),

attributes as (
    select * from {{ ref('int_identity__attributes') }}
),

known as (
    select * from {{ ref('int_identity__known_ids') }}
),

members as (
    select * from {{ ref('int_teams__members') }}
),

teams as (
    select * from {{ ref('dim_teams') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

suggestions as (
    select * from {{ ref('int_identity__suggestions') }}
),

commits as (
    select
        known.repository_id,
        known.delivered_at,
        credits.developer_id,
        credits.is_bot
    from {{ ref('int_commits') }} as known
    inner join {{ ref('int_commit_credits') }} as credits on known.commit_sha = credits.commit_sha and credits.place = 1
),

-- People of a fork's parent did no work for the organization, unless they wrote something else too.
outsiders as (
    select credits.developer_id
    from {{ ref('int_commits') }} as known
    inner join {{ ref('int_commit_credits') }} as credits on known.commit_sha = credits.commit_sha
    group by credits.developer_id
    having bool_and(known.is_upstream)
),

-- An address that people entered applies only while it belongs to the developer.
ordered as (
    select
        addresses.*,
        case when addresses.address = attributes.primary_email then addresses.address end as chosen_email,
        row_number() over (
            partition by addresses.developer_id
            order by
                addresses.is_program_name, addresses.authored_commits desc, addresses.first_used_at, addresses.address,
                addresses.name
        ) as place
    from addresses
    left join attributes on addresses.developer_id = attributes.developer_id
),

people as (
    select
        developer_id,
        coalesce(min(case when is_robot then common_row end), max(case when place = 1 then name end)) as name,
        coalesce(max(chosen_email), max(case when place = 1 then address end)) as primary_email,
        bool_or(is_robot) as is_bot,
        min(robot_reason) as bot_reason,
        {{ collected(struct_of({
            'name': 'name', 'email': 'address', 'reason': 'reason', 'commits': 'cast(authored_commits as bigint)',
            'address_id': 'address_id'
        })) }} as addresses
    from ordered
    group by developer_id
),

ids as (
    select
        developer_id,
        {{ collected('known_developer_id') }} as known_ids
    from known
    group by developer_id
),

-- The team of the day of the build.
placed as (
    select
        members.developer_id,
        members.team_id,
        teams.name as team
    from members
    cross join organization
    inner join teams on members.team_id = teams.team_id
    where organization.local_date >= members.start_on and organization.local_date <= members.end_on
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
    coalesce(attributes.name, people.name) as name,
    outsiders.developer_id is not null and attributes.developer_id is null and placed.team_id is null as is_outsider,
    people.primary_email,
    people.is_bot,
    people.bot_reason,
    attributes.kind,
    attributes.role,
    attributes.seniority,
    attributes.joined_on,
    attributes.probation_ends_on,
    attributes.left_on,
    attributes.avatar_url,
    placed.team_id,
    placed.team,
    people.addresses,
    ids.known_ids,
    suggested.merge_suggestions,
    coalesce(activity.commit_count, 0) as commit_count,
    coalesce(activity.delivered_commit_count, 0) as delivered_commit_count,
    activity.first_delivered_at,
    activity.last_delivered_at
from people
left join attributes on people.developer_id = attributes.developer_id
left join outsiders on people.developer_id = outsiders.developer_id
left join ids on people.developer_id = ids.developer_id
left join placed on people.developer_id = placed.developer_id
left join suggested on people.developer_id = suggested.developer_id
left join activity on people.developer_id = activity.developer_id
