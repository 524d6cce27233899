-- Employed from the joining to the leaving date; without a leaving date to the day of the build. Without a joining
-- date from the first to the last delivery, so that delivering in bursts earns nothing extra. A developer who delivered
-- over four weeks, and within the last four, stays until the build. Else all would leave within the newest week.

with credits as (
    select
        credits.developer_id,
        credits.repository_id,
        credits.delivered_on,
        repositories.is_sandbox
    from {{ ref('fct_commit_credits') }} as credits
    inner join {{ ref('int_repositories') }} as repositories on credits.repository_id = repositories.repository_id
    where credits.is_counted and not credits.is_bot
),

organization as (
    select * from {{ ref('int_organization') }}
),

people as (
    select distinct developer_id
    from {{ ref('int_identity__developers') }}
    where not is_robot
),

dates as (
    select
        people.developer_id,
        attributes.joined_on,
        attributes.left_on
    from people
    inner join {{ ref('int_identity__attributes') }} as attributes on people.developer_id = attributes.developer_id
    where attributes.joined_on is not null or attributes.left_on is not null
),

delivered as (
    select
        credits.developer_id,
        min(credits.delivered_on) as first_on,
        {{ still_there('min(credits.delivered_on)', 'max(credits.delivered_on)', 'organization.local_date') }} as last_on
    from credits
    cross join organization
    where not credits.is_sandbox
    group by credits.developer_id, organization.local_date
),

everybody as (
    select
        coalesce(delivered.developer_id, dates.developer_id) as developer_id,
        coalesce(dates.joined_on, delivered.first_on) as first_on,
        case
            when dates.left_on is not null then least(dates.left_on, organization.local_date)
            when dates.joined_on is not null then organization.local_date
            else delivered.last_on
        end as last_on
    from delivered
    full outer join dates on delivered.developer_id = dates.developer_id
    cross join organization
),

developers as (
    select
        'developer' as entity_kind,
        developer_id as entity_id,
        developer_id,
        first_on,
        last_on
    from everybody
    where first_on <= last_on
),

worked_in as (
    select
        credits.repository_id,
        credits.developer_id,
        min(credits.delivered_on) as first_on,
        {{ still_there('min(credits.delivered_on)', 'max(credits.delivered_on)', 'organization.local_date') }} as last_on
    from credits
    cross join organization
    group by credits.repository_id, credits.developer_id, organization.local_date
),

-- In a repository: from the first to the last delivery to it, within the employment.
repositories as (
    select
        'repository' as entity_kind,
        worked_in.repository_id as entity_id,
        worked_in.developer_id,
        greatest(worked_in.first_on, coalesce(dates.joined_on, worked_in.first_on)) as first_on,
        least(worked_in.last_on, coalesce(dates.left_on, worked_in.last_on)) as last_on
    from worked_in
    left join dates on worked_in.developer_id = dates.developer_id
),

-- In a team: during the membership, also in each team above it.
teams as (
    select
        'team' as entity_kind,
        ancestors.ancestor_id as entity_id,
        developers.developer_id,
        greatest(developers.first_on, members.start_on) as first_on,
        least(developers.last_on, members.end_on) as last_on
    from developers
    inner join {{ ref('int_teams__members') }} as members
        on
            developers.developer_id = members.developer_id
            and developers.first_on <= members.end_on
            and developers.last_on >= members.start_on
    inner join {{ ref('int_teams__ancestors') }} as ancestors on members.team_id = ancestors.team_id
),

organization_wide as (
    select
        'organization' as entity_kind,
        '{{ var("organization_id") }}' as entity_id,
        developer_id,
        first_on,
        last_on
    from developers
)

select * from repositories
where first_on <= last_on
union all
select * from developers
union all
select * from organization_wide
union all
select * from teams
