-- Days are those on which the work was written: a merge delivers the work of weeks.

with credits as (
    select
        commit_sha,
        developer_id,
        sum(etv_micro) as etv_micro
    from {{ ref('fct_commit_credits') }}
    where not is_bot
    group by commit_sha, developer_id
),

commits as (
    select * from {{ ref('int_commits') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

written as (
    select
        credits.developer_id,
        credits.etv_micro,
        commits.commit_id,
        commits.repository_id,
        commits.delivered_at,
        cast({{ local_time('organization.time_zone', 'commits.authored_at') }} as date) as written_on
    from credits
    inner join commits on credits.commit_sha = commits.commit_sha
    cross join organization
),

ranked as (
    select
        *,
        sum(etv_micro) over (partition by developer_id, written_on) as day_micro,
        max(delivered_at) over (partition by developer_id, written_on) as last_delivered_at,
        row_number() over (partition by developer_id, written_on order by etv_micro desc, commit_id) as place
    from written
),

-- The largest commit of the day stands for it, and of co-authors the one with the larger day.
days as (
    select
        *,
        row_number() over (partition by commit_id order by day_micro desc, developer_id) as day_place
    from ranked
    where place = 1
)

select
    'commit' as subject_type,
    commit_id as subject_id,
    repository_id,
    developer_id,
    last_delivered_at as started_at,
    cast(null as {{ instant_type() }}) as ended_at,
    cast(null as {{ dbt.type_string() }}) as ended_by,
    cast(day_micro as bigint) as value_micro
from days
where day_place = 1
