with calendar as (
    select * from {{ ref('dim_calendar') }}
),

{% for period in ['week', 'month', 'quarter', 'year'] -%}
{{ period }}s as (
    select
        '{{ period }}' as period,
        {{ period }}_start as period_start,
        max(day) as period_end,
        count(*) as days,
        bool_or(is_open) as is_draft,
        count(case when is_working_day then 1 end) as working_days
    from calendar
    group by {{ period }}_start
),

{% endfor -%}
every as (
    select * from weeks
    union all
    select * from months
    union all
    select * from quarters
    union all
    select * from years
)

-- Periods that the calendar cuts at its ends are left out.
select
    period,
    period_start,
    period_end,
    is_draft,
    cast(working_days as integer) as working_days
from every
where
    days >= case period when 'week' then 7 when 'month' then 28 when 'quarter' then 90 else 365 end
