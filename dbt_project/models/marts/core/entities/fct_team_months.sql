-- The team of a month is the one with most working days; of several with equal numbers, the last.

with members as (
    select * from {{ ref('int_teams__members') }}
),

calendar as (
    select * from {{ ref('dim_calendar') }}
),

teams as (
    select * from {{ ref('dim_teams') }}
),

worked as (
    select
        members.developer_id,
        members.team_id,
        calendar.month_start as month,
        count(case when calendar.is_working_day then 1 end) as working_days,
        max(calendar.day) as last_on
    from members
    inner join calendar on calendar.day >= members.start_on and calendar.day <= members.end_on
    group by members.developer_id, members.team_id, calendar.month_start
),

ranked as (
    select
        *,
        row_number() over (partition by developer_id, month order by working_days desc, last_on desc) as place
    from worked
)

select
    ranked.developer_id,
    ranked.month,
    ranked.team_id,
    teams.name as team_name
from ranked
inner join teams on ranked.team_id = teams.team_id
where ranked.place = 1
