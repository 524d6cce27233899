with days as (
    select * from {{ ref('daily') }}
),

repository_numbers as (
    select
        repository_id,
        position::integer as repository_number
    from {{ ref('repositories') }}
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
    repository_numbers.repository_number,
    days.is_bot,
    days.is_sandbox,
    {{ summed_measures('days') }},
    {{ summed_categories('days') }}
from spread as days
left join repository_numbers on days.repository_id = repository_numbers.repository_id
group by all
order by period, period_start, repository_number, is_bot, is_sandbox
