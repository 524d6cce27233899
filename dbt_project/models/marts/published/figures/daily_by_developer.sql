with daily as (
    select * from {{ ref('api_v1__daily') }}
)

select
    developer_id,
    delivered_on,
    team_id,
    category,
    is_bot,
    is_sandbox,
    {{ summed_measures() }}
from daily
group by all
order by developer_id, delivered_on, team_id, category, is_bot, is_sandbox
