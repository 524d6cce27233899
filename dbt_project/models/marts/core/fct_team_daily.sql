-- What the people of a team wrote while they were in it, whenever it was delivered, by rows of all its sub-teams.

with credits as (
    select * from {{ ref('fct_commit_credits') }}
    where is_counted or zero_reason = 'BOT'
),

commits as (
    select * from {{ ref('stg_git__commits') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

members as (
    select * from {{ ref('int_teams__members') }}
),

ancestors as (
    select * from {{ ref('int_teams__ancestors') }}
),

-- Only the commits of people who are in a team.
theirs as (
    select credits.*
    from credits
    where credits.developer_id in (select members.developer_id from members)
),

dated as (
    select
        theirs.*,
        cast({{ local_time('organization.time_zone', 'commits.authored_at') }} as date) as authored_on
    from theirs
    inner join commits on theirs.commit_sha = commits.commit_sha and theirs.repository_id = commits.repository_id
    cross join organization
),

in_teams as (
    select
        dated.*,
        ancestors.ancestor_id as team_id
    from dated
    inner join members
        on
            dated.developer_id = members.developer_id
            and dated.authored_on >= members.start_on
            and dated.authored_on <= members.end_on
    inner join ancestors on members.team_id = ancestors.team_id
)

select
    in_teams.delivered_on,
    in_teams.team_id,
    in_teams.repository_id,
    in_teams.developer_id,
    in_teams.category,
    in_teams.is_bot,
    repositories.is_sandbox,
    {{ daily_measures('in_teams') | indent(4) }}
from in_teams
inner join repositories on in_teams.repository_id = repositories.repository_id
group by
    in_teams.delivered_on, in_teams.team_id, in_teams.repository_id, in_teams.developer_id, in_teams.category,
    in_teams.is_bot, repositories.is_sandbox
