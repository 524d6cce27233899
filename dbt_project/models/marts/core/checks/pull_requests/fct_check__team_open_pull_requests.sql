-- Pull requests belong to the team that the author had on the day of creation.

with phases as (
    select * from {{ ref('int_pull_requests__phases') }}
    where phase = 'ready'
),

pull_requests as (
    select * from {{ ref('int_pull_requests') }}
    where not is_bot
),

repositories as (
    select * from {{ ref('int_repositories') }}
    where not is_sandbox and not is_excluded
),

members as (
    select * from {{ ref('int_teams__members') }}
),

waiting as (
    select
        members.team_id,
        phases.started_at,
        phases.ended_at
    from phases
    inner join pull_requests on phases.pull_request_id = pull_requests.pull_request_id
    inner join repositories on pull_requests.repository_id = repositories.repository_id
    inner join members
        on
            pull_requests.developer_id = members.developer_id
            and pull_requests.created_on between members.start_on and members.end_on
),

changes as (
    select
        team_id,
        started_at as happened_at,
        1 as change
    from waiting
    union all
    select
        team_id,
        ended_at as happened_at,
        -1 as change
    from waiting
    where ended_at is not null
),

summed as (
    select
        team_id,
        happened_at,
        sum(change) as change
    from changes
    group by team_id, happened_at
),

steps as (
    select
        team_id,
        happened_at,
        cast(
            sum(change) over (
                partition by team_id order by happened_at rows between unbounded preceding and current row
            ) as bigint
        ) as open_count,
        lead(happened_at) over (partition by team_id order by happened_at) as next_at
    from summed
)

select
    'team' as subject_type,
    team_id as subject_id,
    cast(null as {{ dbt.type_string() }}) as repository_id,
    cast(null as {{ dbt.type_string() }}) as developer_id,
    happened_at as started_at,
    next_at as ended_at,
    case when next_at is not null then 'fewer' end as ended_by,
    open_count * 1000000 as value_micro
from steps
where open_count > 0
