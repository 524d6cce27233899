with organization as (
    select * from {{ ref('int_organization') }}
),

daily as (
    select * from {{ ref('fct_daily') }}
),

commits as (
    select * from {{ ref('fct_commits') }}
),

waiting as (
    select count(*) as waiting_commits
    from commits
    where zero_reason = 'WAITING'
),

bounds as (
    select
        min(delivered_on) as first_delivered_on,
        max(delivered_on) as last_delivered_on
    from daily
)

select
    organization.organization_id,
    organization.name,
    organization.slug,
    organization.time_zone,
    organization.work_category_grouping,
    organization.as_of,
    '{{ var("calculation_version") }}' as calculation_version,
    bounds.first_delivered_on,
    bounds.last_delivered_on,
    organization.last_complete_week_start,
    organization.last_complete_month_start,
    waiting.waiting_commits,
    organization.local_date,
    organization.renews_on
from organization
cross join bounds
cross join waiting
