with performance as (
    select * from {{ ref('fct_performance') }}
)

select
    entity_kind,
    entity_id,
    period,
    period_start,
    period_end,
    is_draft,
    etv_micro,
    cast(developer_weeks as double) as developer_weeks,
    reference_etv_per_week_micro,
    cast(reference_developer_weeks as double) as reference_developer_weeks,
    cast(performance as double) as performance,
    '{{ var("calculation_version") }}' as calculation_version
from performance
