-- Hours come from the calendar, the share that can be capitalized from effort: what a bug cost the product says nothing of
-- where the hours went.

with credits as (
    select * from {{ ref('fct_commit_credits') }}
    where is_counted and not is_bot
),

repositories as (
    select * from {{ ref('int_repositories') }}
    where not is_sandbox
),

policy as (
    select * from {{ ref('capex_policy') }}
),

periods as (
    select * from {{ ref('int_periods') }}
    where period = 'month'
),

developers as (
    select * from {{ ref('dim_developers') }}
    where not is_bot
),

teams as (
    select * from {{ ref('int_teams__months') }}
),

-- The policy of a month is the one that was valid on its first day.
versions as (
    select distinct
        policy_version,
        cast(valid_from as date) as valid_from
    from policy
),

policy_months as (
    select
        periods.period_start as month,
        versions.policy_version,
        row_number() over (partition by periods.period_start order by versions.valid_from desc) as place
    from periods
    inner join versions on periods.period_start >= versions.valid_from
),

judged as (
    select
        credits.developer_id,
        cast(date_trunc('month', credits.delivered_on) as date) as month,
        credits.effort_micro,
        credits.etv_micro,
        credits.commits,
        policy_months.policy_version,
        policy.category is not null as is_capitalizable
    from credits
    inner join repositories on credits.repository_id = repositories.repository_id
    inner join policy_months
        on
            cast(date_trunc('month', credits.delivered_on) as date) = policy_months.month
            and policy_months.place = 1
    left join policy
        on
            policy_months.policy_version = policy.policy_version
            and credits.category = policy.category
            and policy.commit_category in ('any', credits.commit_category)
),

months as (
    select
        developer_id,
        month,
        policy_version,
        sum(effort_micro) as effort_micro,
        sum(etv_micro) as etv_micro,
        sum(case when is_capitalizable then effort_micro else 0 end) as capitalizable_effort_micro,
        sum(case when is_capitalizable then etv_micro else 0 end) as capitalizable_etv_micro,
        sum(commits) as commits
    from judged
    group by developer_id, month, policy_version
),

hours as (
    select
        months.*,
        periods.is_draft,
        cast(periods.working_days * {{ var('hours_per_day') }} * 100 as bigint) as hours_hundredths
    from months
    inner join periods on months.month = periods.period_start
),

-- In whole hundredths, so that the two kinds of hours always add up to the hours.
shares as (
    select
        hours.*,
        case
            when hours.effort_micro > 0
                then {{ rounded_ratio(wide('hours.capitalizable_effort_micro') ~ ' * 10000', wide('hours.effort_micro')) }}
        end as percent_hundredths,
        case
            when hours.effort_micro > 0
                then {{ rounded_ratio(
                    wide('hours.capitalizable_effort_micro') ~ ' * hours.hours_hundredths', wide('hours.effort_micro')
                ) }}
        end as capex_hundredths
    from hours
)

select
    shares.month,
    shares.developer_id,
    developers.name as developer_name,
    developers.primary_email,
    teams.team_name as team,
    {{ hundredths('shares.hours_hundredths') }} as hours,
    {{ hundredths('shares.percent_hundredths') }} as capex_percent,
    {{ hundredths('shares.capex_hundredths') }} as capex_hours,
    {{ hundredths('shares.hours_hundredths - shares.capex_hundredths') }} as opex_hours,
    cast(shares.etv_micro as bigint) as etv_micro,
    cast(shares.effort_micro as bigint) as effort_micro,
    cast(shares.capitalizable_effort_micro as bigint) as capitalizable_effort_micro,
    cast(shares.capitalizable_etv_micro as bigint) as capitalizable_etv_micro,
    cast(shares.commits as bigint) as commits,
    true as dates_inferred,
    shares.is_draft,
    shares.policy_version
from shares
inner join developers on shares.developer_id = developers.developer_id
left join teams on shares.developer_id = teams.developer_id and shares.month = teams.month
