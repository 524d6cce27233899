-- After each day (UTC), the spend of its week of seven days beside the median of the four such weeks before, of each person and
-- each tool. Small sums vary by chance and are left out.

with usage as (
    select * from {{ ref('fct_ai_usage') }}
    where counts_cost and cost_currency = '{{ var("ai_cost_currency") }}'
),

organization as (
    select * from {{ ref('int_organization') }}
),

spent as (
    select
        'developer' as subject_type,
        developer_id as subject_id,
        developer_id,
        used_on,
        {{ capped_sum('cost_nano') }} as cost_nano
    from usage
    where developer_id is not null
    group by developer_id, used_on
    union all
    select
        'ai_tool' as subject_type,
        tool as subject_id,
        cast(null as {{ dbt.type_string() }}) as developer_id,
        used_on,
        {{ capped_sum('cost_nano') }} as cost_nano
    from usage
    group by tool, used_on
),

spans as (
    select
        spent.subject_type,
        spent.subject_id,
        spent.developer_id,
        min(spent.used_on) as first_on,
        least({{ plus_days('max(spent.used_on)', 6) }}, max(organization.local_date)) as last_on
    from spent
    cross join organization
    group by spent.subject_type, spent.subject_id, spent.developer_id
),

moments as (
    select
        subject_type,
        subject_id,
        developer_id,
        {{ each(all_dates('first_on', 'last_on')) }} as moment
    from spans
),

days as (
    select
        subject_type,
        subject_id,
        developer_id,
        cast(moment as date) as day
    from moments
),

weeks as (
    select
        days.*,
        sum(coalesce(spent.cost_nano, 0)) over (
            partition by days.subject_type, days.subject_id order by days.day rows between 6 preceding and current row
        ) as week_nano
    from days
    left join spent
        on days.subject_type = spent.subject_type and days.subject_id = spent.subject_id and days.day = spent.used_on
),

bounded as (
    select
        subject_type,
        subject_id,
        developer_id,
        day,
        cast({{ capped('week_nano') }} as bigint) as week_nano
    from weeks
),

before as (
    select
        *,
        -- The first of the four weeks is whole from the 35th day on.
        row_number() over (partition by subject_type, subject_id order by day) > 34 as has_usual,
        {% for week in range(1, 5) -%}
        lag(week_nano, {{ 7 * week }}) over (partition by subject_type, subject_id order by day) as nano_{{ week }}
        {{- ',' if not loop.last }}
        {% endfor %}
    from bounded
),

compared as (
    select
        *,
        week_nano as spent_nano,
        -- The median of four is the mean of the middle two.
        {{ whole_ratio(
            'cast(nano_1 + nano_2 + nano_3 + nano_4 - greatest(nano_1, nano_2, nano_3, nano_4)'
            ~ ' - least(nano_1, nano_2, nano_3, nano_4) as bigint)', '2'
        ) }} as usual_nano
    from before
    where has_usual
)

select
    compared.subject_type,
    compared.subject_id,
    cast(null as {{ dbt.type_string() }}) as repository_id,
    compared.developer_id,
    {{ instant_of_local("'UTC'", 'cast(' ~ plus_days('compared.day', 1) ~ ' as timestamp)') }} as started_at,
    {{ instant_of_local("'UTC'", 'cast(' ~ plus_days('compared.day', 2) ~ ' as timestamp)') }} as ended_at,
    'passed' as ended_by,
    {{ bounded_ratio('compared.spent_nano', 'compared.usual_nano', 100) }} * 10000 as value_micro,
    case when compared.subject_type = 'ai_tool' then {{ ai_tool_name('compared.subject_id') }} end as subject_title
from compared
where
    compared.usual_nano > 0
    and compared.spent_nano >= compared.usual_nano
    and compared.spent_nano >= {{ var('check_ai_week_nano') }}
