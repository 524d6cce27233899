-- On each Monday, the four weeks before it. The row is about the repository and names nobody.

with reviews as (
    select
        pull_request_id,
        repository_id,
        coalesce(developer_id, {{ compared_account('reviewer') }}) as reviewer,
        cast(date_trunc('week', reviewed_on) as date) as week_start
    from {{ ref('fct_reviews') }}
    where not is_bot
),

organization as (
    select * from {{ ref('int_organization') }}
),

counted as (
    {% for week in range(1, 5) -%}
    select
        *,
        {{ plus_days('week_start', 7 * week) }} as monday
    from reviews
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

people as (
    select
        repository_id,
        monday,
        reviewer,
        count(distinct pull_request_id) as reviews
    from counted
    group by repository_id, monday, reviewer
),

shares as (
    select
        repository_id,
        monday,
        count(*) as reviewers,
        cast(max(reviews) as bigint) as most_reviews,
        cast(sum(reviews) as bigint) as all_reviews
    from people
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
    'spread' as ended_by,
    {{ whole_ratio('shares.most_reviews * 100000000', 'shares.all_reviews') }} as value_micro
from shares
cross join organization
where
    shares.reviewers >= {{ var('check_review_people') }}
    and shares.all_reviews >= {{ var('check_review_count') }}
