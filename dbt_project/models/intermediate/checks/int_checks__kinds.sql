with defaults as (
{{ check_kind_rows() }}
),

settings as (
    select * from {{ ref('stg_control__check_settings') }}
),

organization as (
    select * from {{ ref('int_organization') }}
)

select
    defaults.kind,
    defaults.unit,
    defaults.unit in ('working_hours', 'working_days', 'calendar_days') as is_clock,
    defaults.unit = 'calendar_days' as is_calendar,
    defaults.is_below,
    defaults.lasting_days,
    coalesce(settings.is_on, defaults.is_on) as is_on,
    case when settings.kind is null then defaults.threshold_micro else settings.threshold_micro end as threshold_micro,
    case when settings.kind is null then defaults.critical_micro else settings.critical_micro end as critical_micro,
    settings.threshold_multiple_hundredths,
    settings.critical_multiple_hundredths,
    cast(
        case
            when defaults.unit = 'working_hours' then 3600
            when defaults.unit = 'working_days' then organization.hours_per_day_hundredths * 36
            when defaults.unit = 'calendar_days' then 86400
        end as bigint
    ) as unit_seconds
from defaults
left join settings on defaults.kind = settings.kind
cross join organization
