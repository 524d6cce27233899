-- Working time until each day, so that the working time between two instants is a difference.

with milestones as (
    select * from {{ ref('int_pull_requests__milestones') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

holidays as (
    select {{ each('holidays') }} as holiday_on
    from organization
),

-- Issues can wait too, in organizations without pull requests.
instants as (
    select
        least(created_at, first_commit_at) as first_at,
        greatest(created_at, first_commit_at, ended_at, first_review_at) as last_at
    from milestones
    union all
    select
        created_at as first_at,
        created_at as last_at
    from {{ ref('stg_trackers__items') }}
    where created_at is not null
),

bounds as (
    select
        organization.time_zone,
        organization.working_weekdays,
        cast(organization.hours_per_day_hundredths as bigint) * 36000000 as length_micros,
        -- Absurd times of commits must not make a calendar of ages.
        greatest(
            cast(min({{ local_time('organization.time_zone', 'instants.first_at') }}) as date),
            cast('1970-01-01' as date)
        ) as first_day,
        least(
            greatest(
                cast(max({{ local_time('organization.time_zone', 'instants.last_at') }}) as date),
                max(organization.local_date)
            ),
            cast('2100-01-01' as date)
        ) as last_day
    from instants
    cross join organization
    group by organization.time_zone, organization.working_weekdays, organization.hours_per_day_hundredths
),

days as (
    select
        time_zone,
        working_weekdays,
        length_micros,
        {{ each(all_dates(plus_days('first_day', -1), plus_days('last_day', 1))) }} as moment
    from bounds
),

judged as (
    select
        cast(days.moment as date) as day,
        -- The longest days begin at midnight.
        case
            when days.length_micros <= {{ (1440 - var('workday_start_minutes')) * 60000000 }}
                then {{ epoch_micros(instant_of_local(
                    'days.time_zone',
                    "(cast(cast(days.moment as date) as timestamp) + interval '" ~ var('workday_start_minutes') ~ "' minute)"
                ) ) }}
            else {{ epoch_micros(instant_of_local(
                'days.time_zone', 'cast(cast(days.moment as date) as timestamp)'
            )) }}
        end as starts_micros,
        case
            when
                position(
                    cast({{ iso_weekday('days.moment') }} as {{ dbt.type_string() }}) in days.working_weekdays
                ) > 0
                and holidays.holiday_on is null
                then days.length_micros
            else 0
        end as length_micros
    from days
    left join holidays on cast(days.moment as date) = holidays.holiday_on
)

select
    day,
    starts_micros,
    cast(length_micros as bigint) as length_micros,
    cast(sum(length_micros) over (order by day rows between unbounded preceding and current row) - length_micros as bigint)
        as micros_before
from judged
