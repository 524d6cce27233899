-- The running period, those that summaries tell of, and those before that say what is usual.

with periods as (
    select
        periods.*,
        row_number() over (partition by periods.period order by periods.period_start desc) - 1 as number
    from {{ ref('dim_periods') }} as periods
    cross join {{ ref('int_organization') }} as organization
    where periods.period <> 'year' and periods.period_start <= organization.local_date
),

horizons as (
    {% for period in ['week', 'month', 'quarter'] -%}
    select
        '{{ period }}' as period,
        {{ var('summary_' ~ period ~ 's') }} as told
    {{ 'union all' if not loop.last }}
    {% endfor %}
)

select
    periods.period,
    periods.period_start,
    periods.period_end,
    periods.is_draft,
    cast(periods.number as integer) as number,
    periods.number <= horizons.told as is_told
from periods
inner join horizons on periods.period = horizons.period
where periods.number <= horizons.told + {{ var('summary_usual_buckets') }}
