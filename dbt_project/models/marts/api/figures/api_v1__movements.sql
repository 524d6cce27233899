with movements as (
    select * from {{ ref('fct_movements') }}
)

select
    entity_kind,
    entity_id,
    period,
    period_start,
    period_end,
    is_draft,
    etv_micro,
    previous_etv_micro,
    changes_micro,
    mix_micro,
    size_micro,
    rework_micro,
    value_micro,
    '{{ var("calculation_version") }}' as calculation_version
from movements
