with reasons as (
    select * from {{ ref('zero_reason_texts') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

pauses as (
    select * from {{ ref('pause_texts') }}
)

select
    reasons.zero_reason,
    cast(reasons.position as bigint) as position,
    reasons.level,
    coalesce(pauses.title, reasons.title) as title,
    coalesce(
        replace(pauses.description, '{day}', coalesce(cast(organization.analysis_paused_since as {{ dbt.type_string() }}), '')),
        reasons.description
    ) as description,
    case when reasons.warns then cast({{ var('zero_reason_warning_micro') }} as bigint) end as warning_share_micro,
    '{{ var("calculation_version") }}' as calculation_version
from reasons
cross join organization
left join pauses on reasons.zero_reason = 'WAITING' and organization.analysis_paused_by = pauses.paused_by
