-- The policy of a month is the one that is valid on its first day.

with organization as (
    select * from {{ ref('int_organization') }}
),

commits as (
    select * from {{ ref('int_commits') }}
),

-- No delivery and no period of the calendar lies outside.
bounds as (
    select
        cast(
            date_trunc('year', least(min(commits.delivered_on), organization.local_date)) as date
        ) as first_day,
        greatest(max(commits.delivered_on), organization.local_date) as last_day
    from organization
    left join commits on commits.delivered_on is not null
    group by organization.local_date
),

days as (
    select {{ each(all_dates('first_day', plus_days('last_day', 366))) }} as moment
    from bounds
),

months as (
    select distinct cast(date_trunc('month', moment) as date) as month
    from days
),

versions as (
    select distinct
        policy_version,
        version_number,
        valid_from
    from {{ ref('int_capex__rules') }}
),

placed as (
    select
        months.month,
        versions.policy_version,
        row_number() over (
            partition by months.month order by versions.valid_from desc, versions.version_number desc
        ) as place
    from months
    inner join versions on months.month >= versions.valid_from
)

select
    month,
    policy_version
from placed
where place = 1
