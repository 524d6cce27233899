with days as (
    select * from {{ ref('daily') }}
),

developer_numbers as (
    select
        developer_id,
        position::integer as developer_number
    from {{ ref('developers') }}
),

team_numbers as (
    select
        team_id,
        position::integer as team_number
    from {{ ref('teams') }}
),

-- Any range is some years, months and days, so that its sum reads few rows.
spread as (
    select
        *,
        {{ period_start('period', 'delivered_on') }} as period_start
    from days
    cross join (select unnest(['day', 'month', 'year']) as period)
)

select
    days.period,
    days.period_start,
    developer_numbers.developer_number,
    team_numbers.team_number,
    days.is_bot,
    days.is_sandbox,
    {{ summed_measures('days') }},
    {{ summed_categories('days') }}
from spread as days
left join developer_numbers on days.developer_id = developer_numbers.developer_id
left join team_numbers on days.team_id = team_numbers.team_id
group by all
order by period, period_start, developer_number, team_number, is_bot, is_sandbox
