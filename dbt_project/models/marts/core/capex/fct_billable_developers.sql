-- Humans with delivered work in the days before the renewal. The day of the renewal belongs to the new period.

with daily as (
    select * from {{ ref('fct_daily') }}
    where not is_bot and not is_sandbox and commits > 0
),

organization as (
    select * from {{ ref('int_organization') }}
    where renews_on is not null
),

developers as (
    select * from {{ ref('dim_developers') }}
    where not is_bot
),

worked as (
    select
        organization.renews_on,
        daily.developer_id,
        max(daily.delivered_on) as last_delivered_on
    from daily
    inner join organization
        on
            daily.delivered_on >= {{ plus_days('organization.renews_on', -var('billable_days')) }}
            and daily.delivered_on < organization.renews_on
    group by organization.renews_on, daily.developer_id
)

select
    worked.developer_id,
    developers.name,
    developers.primary_email,
    worked.renews_on,
    worked.last_delivered_on
from worked
inner join developers on worked.developer_id = developers.developer_id
