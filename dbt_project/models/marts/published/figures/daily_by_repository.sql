with daily as (
    select * from {{ ref('api_v1__daily') }}
)

select
    repository_id,
    delivered_on,
    category,
    is_bot,
    is_sandbox,
    {{ summed_measures() }}
from daily
group by all
order by repository_id, delivered_on, category, is_bot, is_sandbox
