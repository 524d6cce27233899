-- Errors of commits are partly common: a developer whose messages mislead the model writes many of them.

with scenarios as (
    select * from {{ ref('fct_capex_scenarios') }}
),

sums as (
    select
        developer_id,
        month,
        sum(mean_micro - capitalizable_micro) as shift_micro,
        sum(deviation_micro) as deviations_micro,
        sum({{ wide('deviation_micro') }} * deviation_micro) as variances
    from scenarios
    group by developer_id, month
)

select
    developer_id,
    month,
    cast(shift_micro as bigint) as shift_micro,
    cast(round(sqrt(
        (1 - {{ var('category_error_correlation') }}) * cast(variances as double)
        + {{ var('category_error_correlation') }} * cast(deviations_micro as double) * cast(deviations_micro as double)
    )) as bigint) as deviation_micro
from sums
