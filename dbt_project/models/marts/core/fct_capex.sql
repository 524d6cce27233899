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
        cast(periods.working_days * {{ var('hours_per_day') }} as double) as hours,
        case
            when months.effort_micro > 0
                then cast(months.capitalizable_effort_micro as double) / months.effort_micro
        end as capex_share
    from months
    inner join periods on months.month = periods.period_start
)

select
    hours.month,
    hours.developer_id,
    developers.name as developer_name,
    developers.primary_email,
    hours.hours,
    round(100 * hours.capex_share, 2) as capex_percent,
    round(hours.hours * hours.capex_share, 2) as capex_hours,
    hours.hours - round(hours.hours * hours.capex_share, 2) as opex_hours,
    cast(hours.etv_micro as bigint) as etv_micro,
    cast(hours.effort_micro as bigint) as effort_micro,
    cast(hours.capitalizable_effort_micro as bigint) as capitalizable_effort_micro,
    cast(hours.capitalizable_etv_micro as bigint) as capitalizable_etv_micro,
    cast(hours.commits as bigint) as commits,
    true as dates_inferred,
    hours.is_draft,
    hours.policy_version
from hours
inner join developers on hours.developer_id = developers.developer_id
