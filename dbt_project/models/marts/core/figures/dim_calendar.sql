-- From the first delivery to the end of the year of the build, so that the current periods are complete.

with organization as (
    select * from {{ ref('int_organization') }}
),

holidays as (
    select {{ each('holidays') }} as holiday_on
    from organization
),

-- The work of totals and of bots, as in fct_daily, which stands behind this calendar.
commits as (
    select * from {{ ref('fct_commits') }}
    where is_counted or zero_reason = 'BOT'
),

bounds as (
    select
        organization.local_date,
        organization.working_weekdays,
        cast(date_trunc('year', coalesce(min(commits.delivered_on), organization.local_date)) as date) as first_day,
        {{ plus_days(
            "cast(date_trunc('year', " ~ plus_days(
                "cast(date_trunc('year', greatest(coalesce(max(commits.delivered_on), organization.local_date), "
                ~ "organization.local_date)) as date)", 366
            ) ~ ") as date)", 7
        ) }} as last_day
    from organization
    left join commits on commits.delivered_on is not null
    group by organization.local_date, organization.working_weekdays
),

days as (
    select
        local_date,
        working_weekdays,
        {{ each(all_dates(plus_days('first_day', -7), 'last_day')) }} as moment
    from bounds
)

select
    cast(moment as date) as day,
    cast(date_trunc('week', moment) as date) as week_start,
    cast(date_trunc('month', moment) as date) as month_start,
    cast(date_trunc('quarter', moment) as date) as quarter_start,
    cast(date_trunc('year', moment) as date) as year_start,
    position(cast({{ iso_weekday('moment') }} as {{ dbt.type_string() }}) in days.working_weekdays) > 0
    and holidays.holiday_on is null as is_working_day,
    cast(moment as date) >= local_date as is_open
from days
left join holidays on cast(days.moment as date) = holidays.holiday_on
