with days as (
    select * from {{ ref('int_pull_requests__working_days') }}
),

organization as (
    select * from {{ ref('int_organization') }}
)

select
    days.day,
    days.starts_micros,
    days.length_micros,
    days.micros_before,
    cast(organization.hours_per_day_hundredths as bigint) * 36 as seconds_per_day
from days
cross join organization
