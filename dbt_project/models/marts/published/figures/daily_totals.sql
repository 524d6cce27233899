with daily as (
    select * from {{ ref('api_v1__daily') }}
)

select
    delivered_on,
    category,
    is_bot,
    is_sandbox,
    {{ summed_measures() }}
from daily
group by all
order by delivered_on, category, is_bot, is_sandbox
