with reasons as (
    select * from {{ ref('zero_reason_texts') }}
)

select
    zero_reason,
    cast(position as bigint) as position,
    level,
    title,
    description,
    case when warns then cast({{ var('zero_reason_warning_micro') }} as bigint) end as warning_share_micro,
    '{{ var("calculation_version") }}' as calculation_version
from reasons
