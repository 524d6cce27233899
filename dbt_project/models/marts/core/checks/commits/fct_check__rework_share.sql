-- On each Monday, the four weeks that ended two weeks before it: until then authors can take back credit, so no later
-- build knows other figures. The row is about the repository and names nobody.

with credits as (
    select
        repository_id,
        commit_sha,
        cast(date_trunc('week', delivered_on) as date) as week_start,
        points_micro,
        taken_back_points_micro
    from {{ ref('fct_commit_credits') }}
    where is_counted and not is_bot
),

organization as (
    select * from {{ ref('int_organization') }}
),

weeks as (
    select
        repository_id,
        week_start,
        count(distinct commit_sha) as commits,
        sum(points_micro) as points_micro,
        sum(taken_back_points_micro) as taken_back_points_micro
    from credits
    group by repository_id, week_start
),

counted as (
    {% for week in range(3, 7) -%}
    select
        *,
        {{ plus_days('week_start', 7 * week) }} as monday
    from weeks
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

shares as (
    select
        repository_id,
        monday,
        sum(commits) as commits,
        cast(sum(taken_back_points_micro) as bigint) as taken_back_points_micro,
        cast(sum(points_micro + taken_back_points_micro) as bigint) as all_points_micro
    from counted
    group by repository_id, monday
)

select
    'repository' as subject_type,
    shares.repository_id as subject_id,
    shares.repository_id,
    cast(null as {{ dbt.type_string() }}) as developer_id,
    {{ instant_of_local('organization.time_zone', 'cast(shares.monday as timestamp)') }} as started_at,
    {{ instant_of_local('organization.time_zone', 'cast(' ~ plus_days('shares.monday', 7) ~ ' as timestamp)') }}
        as ended_at,
    'passed' as ended_by,
    cast({{ wide_ratio(wide('shares.taken_back_points_micro') ~ ' * 100000000', 'shares.all_points_micro') }} as bigint)
        as value_micro
from shares
cross join organization
where shares.commits >= {{ var('check_rework_commits') }} and shares.all_points_micro > 0
