-- The work that people wrote while they were in a team, with the rows of all its sub-teams. The day of delivery can
-- be later.

with daily as (
    select * from {{ ref('fct_daily') }}
),

ancestors as (
    select * from {{ ref('int_teams__ancestors') }}
)

select
    daily.delivered_on,
    ancestors.ancestor_id as team_id,
    daily.repository_id,
    daily.developer_id,
    daily.category,
    daily.is_bot,
    daily.is_sandbox,
    {{ summed_measures_of_days('daily') }}
from daily
inner join ancestors on daily.team_id = ancestors.team_id
group by
    daily.delivered_on, ancestors.ancestor_id, daily.repository_id, daily.developer_id, daily.category,
    daily.is_bot, daily.is_sandbox
