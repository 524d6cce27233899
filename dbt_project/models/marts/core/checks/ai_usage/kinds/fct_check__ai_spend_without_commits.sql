-- Each Monday judges the four weeks before it. A person who wrote or delivered any commit in these weeks is left out.

with usage as (
    select
        developer_id,
        cast(date_trunc('week', used_on) as date) as week_start,
        cost_nano
    from {{ ref('fct_ai_usage') }}
    where counts_cost and cost_currency = '{{ var("ai_cost_currency") }}' and developer_id is not null
),

commits as (
    select * from {{ ref('int_commits') }}
),

credits as (
    select * from {{ ref('int_commit_credits') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

worked as (
    select
        credits.developer_id,
        cast({{ local_time('organization.time_zone', 'commits.authored_at') }} as date) as worked_on
    from commits
    inner join credits on commits.commit_sha = credits.commit_sha
    cross join organization
    union all
    select
        credits.developer_id,
        commits.delivered_on as worked_on
    from commits
    inner join credits on commits.commit_sha = credits.commit_sha
),

worked_weeks as (
    select distinct
        developer_id,
        cast(date_trunc('week', worked_on) as date) as week_start
    from worked
),

spent as (
    select
        developer_id,
        week_start,
        {{ capped_sum('cost_nano') }} as cost_nano
    from usage
    group by developer_id, week_start
),

windows as (
    {% for week in range(1, 5) -%}
    select
        developer_id,
        cost_nano,
        {{ plus_days('week_start', 7 * week) }} as monday
    from spent
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

worked_windows as (
    {% for week in range(1, 5) -%}
    select
        developer_id,
        {{ plus_days('week_start', 7 * week) }} as monday
    from worked_weeks
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

idle as (
    select
        windows.developer_id,
        windows.monday,
        {{ capped_sum('windows.cost_nano') }} as cost_nano
    from windows
    left join worked_windows
        on windows.developer_id = worked_windows.developer_id and windows.monday = worked_windows.monday
    where worked_windows.developer_id is null
    group by windows.developer_id, windows.monday
)

select
    'developer' as subject_type,
    idle.developer_id as subject_id,
    cast(null as {{ dbt.type_string() }}) as repository_id,
    idle.developer_id,
    {{ instant_of_local('organization.time_zone', 'cast(idle.monday as timestamp)') }} as started_at,
    {{ instant_of_local('organization.time_zone', 'cast(' ~ plus_days('idle.monday', 7) ~ ' as timestamp)') }} as ended_at,
    'passed' as ended_by,
    {{ whole_ratio('idle.cost_nano', '1000') }} as value_micro,
    cast(null as {{ dbt.type_string() }}) as subject_title
from idle
cross join organization
