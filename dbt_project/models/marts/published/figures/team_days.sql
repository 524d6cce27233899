-- The list of all teams sums the days of a range; it needs no repositories and developers.

with daily as (
    select * from {{ ref('api_v1__team_daily') }}
)

select
    delivered_on,
    team_id,
    category,
    is_bot,
    is_sandbox,
    {{ summed_measures() }}
from daily
group by all
order by delivered_on, team_id, category, is_bot, is_sandbox
