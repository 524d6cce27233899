-- The team of a credit is the developer's team on the authored day. If a person changes team before the merge,
-- earlier work stays with the earlier team.

with credits as (
    select * from {{ ref('int_commit_credits') }}
),

members as (
    select * from {{ ref('int_teams__members') }}
),

commits as (
    select * from {{ ref('int_commits') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

-- Only commits of people who are in a team.
theirs as (
    select
        credits.commit_sha,
        credits.developer_id
    from credits
    where credits.developer_id in (select members.developer_id from members)
),

dated as (
    select
        theirs.*,
        cast({{ local_time('organization.time_zone', 'commits.authored_at') }} as date) as authored_on
    from theirs
    inner join commits on theirs.commit_sha = commits.commit_sha
    cross join organization
)

select
    dated.commit_sha,
    dated.developer_id,
    members.team_id
from dated
inner join members
    on
        dated.developer_id = members.developer_id
        and dated.authored_on >= members.start_on
        and dated.authored_on <= members.end_on
