-- Hours come from the calendar, and the capitalizable share from effort. ETV is not used, because its factor for
-- costly bugs does not measure working time.

with evidence as (
    select * from {{ ref('fct_capex_evidence') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

periods as (
    select * from {{ ref('dim_periods') }}
    where period = 'month'
),

policies as (
    select * from {{ ref('dim_capex_months') }}
),

reported as (
    select * from {{ ref('fct_capex_hours') }}
),

uncertainty as (
    select * from {{ ref('fct_capex_uncertainty') }}
),

developers as (
    select * from {{ ref('dim_developers') }}
    where not is_bot
),

teams as (
    select * from {{ ref('fct_team_months') }}
),

months as (
    select
        developer_id,
        month,
        sum(effort_micro) as effort_micro,
        sum(etv_micro) as etv_micro,
        sum(case when is_capitalizable then effort_micro else 0 end) as capitalizable_effort_micro,
        sum(case when is_capitalizable then etv_micro else 0 end) as capitalizable_etv_micro,
        sum(commits) as commits
    from evidence
    group by developer_id, month
),

hours as (
    select
        reported.developer_id,
        reported.month,
        reported.dates_inferred,
        policies.policy_version,
        coalesce(months.effort_micro, 0) as effort_micro,
        coalesce(months.etv_micro, 0) as etv_micro,
        coalesce(months.capitalizable_effort_micro, 0) as capitalizable_effort_micro,
        coalesce(months.capitalizable_etv_micro, 0) as capitalizable_etv_micro,
        coalesce(months.commits, 0) as commits,
        coalesce(uncertainty.shift_micro, 0) as shift_micro,
        cast(
            round(coalesce(uncertainty.deviation_micro, 0) * {{ var('capex_interval_deviations') }}) as bigint
        ) as margin_micro,
        periods.is_draft,
        cast(reported.working_days * organization.hours_per_day_hundredths as bigint) as hours_hundredths
    from reported
    inner join periods on reported.month = periods.period_start
    inner join policies on reported.month = policies.month
    left join months on reported.developer_id = months.developer_id and reported.month = months.month
    left join uncertainty
        on reported.developer_id = uncertainty.developer_id and reported.month = uncertainty.month
    cross join organization
),

-- The interval lies around the expected value of the probabilities and always contains the share itself.
ends as (
    select
        *,
        least(greatest(capitalizable_effort_micro + shift_micro - margin_micro, 0), capitalizable_effort_micro)
            as low_micro,
        greatest(
            least(capitalizable_effort_micro + shift_micro + margin_micro, effort_micro), capitalizable_effort_micro
        ) as high_micro
    from hours
),

-- In whole hundredths, so that both kinds of hours always add up to the total.
shares as (
    select
        ends.*,
        case
            when ends.effort_micro > 0
                then {{ rounded_ratio(wide('ends.capitalizable_effort_micro') ~ ' * 10000', wide('ends.effort_micro')) }}
        end as percent_hundredths,
        {% for end in ['low', 'high'] -%}
        case
            when ends.effort_micro > 0
                then {{ rounded_ratio(wide('ends.' ~ end ~ '_micro') ~ ' * 10000', wide('ends.effort_micro')) }}
        end as {{ end }}_percent_hundredths,
        {% endfor -%}
        case
            when ends.effort_micro > 0
                then {{ rounded_ratio(
                    wide('ends.capitalizable_effort_micro') ~ ' * ends.hours_hundredths', wide('ends.effort_micro')
                ) }}
        end as capex_hundredths
    from ends
)

select
    '{{ var("organization_id") }}' as organization_id,
    shares.month,
    shares.developer_id,
    developers.name as developer_name,
    developers.primary_email,
    developers.role,
    developers.seniority,
    teams.team_id,
    teams.team_name as team,
    {{ hundredths('shares.hours_hundredths') }} as hours,
    {{ hundredths('shares.percent_hundredths') }} as capex_percent,
    {{ hundredths('shares.low_percent_hundredths') }} as capex_percent_low,
    {{ hundredths('shares.high_percent_hundredths') }} as capex_percent_high,
    {{ hundredths('shares.capex_hundredths') }} as capex_hours,
    {{ hundredths('shares.hours_hundredths - shares.capex_hundredths') }} as opex_hours,
    cast(shares.etv_micro as bigint) as etv_micro,
    cast(shares.effort_micro as bigint) as effort_micro,
    cast(shares.capitalizable_effort_micro as bigint) as capitalizable_effort_micro,
    cast(shares.capitalizable_etv_micro as bigint) as capitalizable_etv_micro,
    cast(shares.commits as bigint) as commits,
    shares.dates_inferred,
    shares.is_draft,
    shares.policy_version,
    '{{ var("calculation_version") }}' as calculation_version
from shares
inner join developers on shares.developer_id = developers.developer_id
left join teams on shares.developer_id = teams.developer_id and shares.month = teams.month
