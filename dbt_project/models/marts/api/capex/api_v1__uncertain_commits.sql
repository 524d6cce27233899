-- The people of a commit share one judgement: their deviations add up.

with scenarios as (
    select * from {{ ref('fct_capex_scenarios') }}
    where deviation_micro > 0
),

commits as (
    select * from {{ ref('api_v1__commits') }}
),

intents as (
    select * from {{ ref('int_categories__commits') }}
),

periods as (
    select * from {{ ref('dim_periods') }}
    where period = 'month'
),

by_commit as (
    select
        commit_id,
        commit_sha,
        month,
        category,
        features_probability,
        maintenance_probability,
        fixes_probability,
        {% for measure in [
            'effort', 'capitalizable', 'features_capitalizable', 'maintenance_capitalizable', 'fixes_capitalizable',
            'deviation'
        ] -%}
        cast(sum({{ measure }}_micro) as bigint) as {{ measure }}_micro{{ ',' if not loop.last }}
        {% endfor %}
    from scenarios
    group by
        commit_id, commit_sha, month, category, features_probability, maintenance_probability, fixes_probability
)

select
    by_commit.commit_id,
    by_commit.commit_sha,
    commits.subject,
    commits.repository_id,
    commits.repository_name,
    commits.developer_id,
    commits.developer_name,
    commits.team_id,
    by_commit.month,
    periods.is_draft,
    by_commit.category,
    intents.evidence,
    by_commit.features_probability,
    by_commit.maintenance_probability,
    by_commit.fixes_probability,
    by_commit.effort_micro,
    by_commit.capitalizable_micro as capitalizable_effort_micro,
    by_commit.features_capitalizable_micro,
    by_commit.maintenance_capitalizable_micro,
    by_commit.fixes_capitalizable_micro,
    by_commit.deviation_micro,
    '{{ var("calculation_version") }}' as calculation_version
from by_commit
inner join commits on by_commit.commit_id = commits.commit_id
inner join intents on by_commit.commit_sha = intents.commit_sha
inner join periods on by_commit.month = periods.period_start
