-- Employed from first to last delivery: delivering in bursts earns nothing extra. Joining and leaving dates are not known
-- yet.

with daily as (
    select * from {{ ref('fct_daily') }}
    where not is_bot
),

repositories as (
    select
        'repository' as entity_kind,
        repository_id as entity_id,
        developer_id,
        min(delivered_on) as first_on,
        max(delivered_on) as last_on
    from daily
    group by repository_id, developer_id
),

developers as (
    select
        'developer' as entity_kind,
        developer_id as entity_id,
        developer_id,
        min(delivered_on) as first_on,
        max(delivered_on) as last_on
    from daily
    where not is_sandbox
    group by developer_id
),

-- In a team while its member, and in each team above it.
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

organization as (
    select
        'organization' as entity_kind,
        '{{ var("organization_id") }}' as entity_id,
        developer_id,
        first_on,
        last_on
    from developers
)

select * from repositories
union all
select * from developers
union all
select * from organization
union all
select * from teams
