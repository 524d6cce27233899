with capex as (
    select * from {{ ref('fct_capex') }}
)

select
    '{{ var("organization_id") }}' as organization_id,
    month,
    developer_id,
    developer_name,
    primary_email,
    role,
    seniority,
    team_id,
    team,
    hours,
    capex_percent,
    capex_percent_low,
    capex_percent_high,
    capex_hours,
    opex_hours,
    etv_micro,
    effort_micro,
    capitalizable_effort_micro,
    capitalizable_etv_micro,
    commits,
    dates_inferred,
    is_draft,
    policy_version,
    '{{ var("calculation_version") }}' as calculation_version
from capex
