-- A developer with a joining date is employed until the leaving date, with or without deliveries. The running month
-- counts whole, later months do not count. Without a known joining date every month counts between the first and the last
-- delivery or day in a team, idle months included: an idle month is no proof that somebody was away.

with evidence as (
    select distinct
        developer_id,
        month
    from {{ ref('fct_capex_evidence') }}
),

developers as (
    select
        developer_id,
        joined_on,
        left_on
    from {{ ref('dim_developers') }}
    where not is_bot
),

periods as (
    select
        periods.period_start as month,
        periods.period_end,
        periods.working_days
    from {{ ref('dim_periods') }} as periods
    cross join {{ ref('int_organization') }} as organization
    where periods.period = 'month' and periods.period_start <= organization.local_date
),

calendar as (
    select
        day,
        is_working_day,
        sum(case when is_working_day then 1 else 0 end) over (order by day) as working_until
    from {{ ref('dim_calendar') }}
),

employed as (
    select
        developers.developer_id,
        periods.month,
        greatest(coalesce(developers.joined_on, periods.month), periods.month) as first_on,
        least(coalesce(developers.left_on, periods.period_end), periods.period_end) as last_on
    from developers
    inner join periods
        on
            coalesce(developers.joined_on, periods.period_end) <= periods.period_end
            and coalesce(developers.left_on, periods.month) >= periods.month
),

memberships as (
    select
        members.developer_id,
        members.start_on,
        least(members.end_on, organization.local_date) as end_on
    from {{ ref('int_teams__members') }} as members
    cross join {{ ref('int_organization') }} as organization
    where members.start_on <= organization.local_date
),

activity as (
    select
        developer_id,
        month as first_on,
        month as last_on
    from evidence
    union all
    select
        developer_id,
        start_on as first_on,
        end_on as last_on
    from memberships
),

spans as (
    select
        developer_id,
        cast(date_trunc('month', min(first_on)) as date) as first_month,
        max(last_on) as last_on
    from activity
    group by developer_id
),

worked as (
    select
        employed.developer_id,
        employed.month,
        lasts.working_until - firsts.working_until + case when firsts.is_working_day then 1 else 0 end as working_days
    from employed
    inner join calendar as firsts on employed.first_on = firsts.day
    inner join calendar as lasts on employed.last_on = lasts.day
),

reported as (
    select
        developer_id,
        month
    from evidence
    union distinct
    select
        employed.developer_id,
        employed.month
    from employed
    inner join developers on employed.developer_id = developers.developer_id
    where developers.joined_on is not null
    union distinct
    select
        employed.developer_id,
        employed.month
    from employed
    inner join spans on employed.developer_id = spans.developer_id
    where employed.month between spans.first_month and spans.last_on
)

select
    reported.developer_id,
    reported.month,
    -- Deliveries before joining or after leaving have no hours.
    cast(coalesce(worked.working_days, 0) as integer) as working_days,
    developers.joined_on is null as dates_inferred
from reported
inner join developers on reported.developer_id = developers.developer_id
left join worked on reported.developer_id = worked.developer_id and reported.month = worked.month
