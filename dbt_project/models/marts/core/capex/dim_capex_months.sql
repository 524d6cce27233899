-- The policy of a month is the one that is valid on its first day.

with periods as (
    select * from {{ ref('dim_periods') }}
    where period = 'month'
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
        periods.period_start as month,
        versions.policy_version,
        row_number() over (
            partition by periods.period_start order by versions.valid_from desc, versions.version_number desc
        ) as place
    from periods
    inner join versions on periods.period_start >= versions.valid_from
)

select
    month,
    policy_version
from placed
where place = 1
