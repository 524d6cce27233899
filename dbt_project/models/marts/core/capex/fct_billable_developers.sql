-- Humans with delivered work in the days before a renewal. The day of the renewal belongs to the new period. The build of
-- a renewal also counts for the next one, which is due from then on. Without a renewal, as in a trial, tomorrow counts.

with daily as (
    select * from {{ ref('fct_daily') }}
    where not is_bot and not is_sandbox and commits > 0
),

organization as (
    select * from {{ ref('int_organization') }}
),

renewals as (
    select coalesce(renews_on, {{ plus_days('local_date', 1) }}) as renews_on
    from organization
    union distinct
    select cast(renews_on + interval '1' month as date) as renews_on
    from organization
    where renews_on <= local_date
),

developers as (
    select * from {{ ref('dim_developers') }}
    where not is_bot
),

worked as (
    select
        renewals.renews_on,
        daily.developer_id,
        max(daily.delivered_on) as last_delivered_on
    from daily
    inner join renewals
        on
            daily.delivered_on >= {{ plus_days('renewals.renews_on', -var('billable_days')) }}
            and daily.delivered_on < renewals.renews_on
    group by renewals.renews_on, daily.developer_id
)

select
    worked.developer_id,
    developers.name,
    developers.primary_email,
    worked.renews_on,
    worked.last_delivered_on
from worked
inner join developers on worked.developer_id = developers.developer_id
