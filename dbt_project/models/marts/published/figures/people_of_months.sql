-- The API decides with these rows which figures too few people made.

with days as (
    select * from {{ ref('api_v1__daily') }}
),

team_numbers as (
    {{ row_numbers('team') }}
),

repository_numbers as (
    {{ row_numbers('repository') }}
),

developer_numbers as (
    {{ row_numbers('developer') }}
),

worked as (
    select
        date_trunc('month', days.delivered_on)::date as month,
        team_numbers.team_number,
        repository_numbers.repository_number,
        developer_numbers.developer_number,
        days.is_bot,
        days.is_sandbox,
        {{ category_bit('days.category') }} as kind
    from days
    left join team_numbers on days.team_id = team_numbers.team_id
    left join repository_numbers on days.repository_id = repository_numbers.repository_id
    left join developer_numbers on days.developer_id = developer_numbers.developer_id
)

select
    month,
    team_number,
    repository_number,
    developer_number,
    is_bot,
    is_sandbox,
    bit_or(kind)::integer as kinds
from worked
group by all
order by month, team_number, repository_number, developer_number, is_bot, is_sandbox
