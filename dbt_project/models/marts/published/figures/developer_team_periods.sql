with days as (
    select * from {{ ref('daily') }}
),

team_numbers as (
    select
        team_id,
        position::integer as team_number
    from {{ ref('teams') }}
),

developer_numbers as (
    select
        developer_id,
        position::integer as developer_number
    from {{ ref('developers') }}
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
    team_numbers.team_number,
    developer_numbers.developer_number,
    days.is_bot,
    days.is_sandbox,
    {{ summed_measures('days') }},
    {{ summed_categories('days') }}
from spread as days
left join team_numbers on days.team_id = team_numbers.team_id
left join developer_numbers on days.developer_id = developer_numbers.developer_id
group by all
order by period, period_start, team_number, developer_number, is_bot, is_sandbox
