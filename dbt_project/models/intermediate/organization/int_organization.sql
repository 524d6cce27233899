with settings as (
    select * from {{ ref('stg_control__organizations') }}
),

holidays as (
    select {{ collected_distinct('holiday_on') }} as holidays
    from {{ ref('stg_control__holidays') }}
),

given as (
    select
        '{{ var("organization_id") }}' as organization_id,
        {{ as_of() }} as as_of
),

named as (
    select
        given.organization_id,
        given.as_of,
        coalesce(settings.name, 'Organization') as name,
        coalesce(settings.slug, 'organization') as slug,
        coalesce(settings.time_zone, 'UTC') as time_zone,
        coalesce(settings.work_category_grouping, 'five') as work_category_grouping,
        coalesce(settings.working_weekdays, '{{ var("working_weekdays") }}') as working_weekdays,
        settings.renews_on,
        settings.analysis_paused_by,
        settings.analysis_paused_since,
        holidays.holidays,
        coalesce(settings.is_commit_limited, false) as is_commit_limited,
        coalesce(settings.hours_per_day_hundredths, {{ var('hours_per_day_hundredths') }}) as hours_per_day_hundredths
    from given
    cross join holidays
    left join settings on given.organization_id = settings.organization_id
),

dated as (
    select
        *,
        cast({{ local_time('time_zone', 'as_of') }} as date) as local_date
    from named
)

select
    organization_id,
    as_of,
    name,
    slug,
    time_zone,
    work_category_grouping,
    working_weekdays,
    holidays,
    hours_per_day_hundredths,
    is_commit_limited,
    analysis_paused_by,
    analysis_paused_since,
    renews_on,
    local_date,
    {{ plus_days("cast(date_trunc('week', local_date) as date)", -7) }} as last_complete_week_start,
    cast(
        date_trunc('month', {{ plus_days("cast(date_trunc('month', local_date) as date)", -1) }}) as date
    ) as last_complete_month_start
from dated
