-- The evidence behind the report's share, before it is applied to hours.

with credits as (
    select * from {{ ref('fct_commit_credits') }}
    where is_counted and not is_bot
),

repositories as (
    select * from {{ ref('int_repositories') }}
    where not is_sandbox
),

months as (
    select * from {{ ref('dim_capex_months') }}
),

capitalizable as (
    select * from {{ ref('int_capex__kinds') }}
),

grants as (
    select * from {{ ref('int_capex__grants') }}
),

scopes as (
    select * from {{ ref('int_alignment__scopes') }}
),

cells as (
    select
        credits.developer_id,
        cast(date_trunc('month', credits.delivered_on) as date) as month,
        credits.repository_id,
        credits.category,
        credits.commit_category,
        scopes.issue_types,
        scopes.objective_ids,
        grants.commit_sha is not null as is_granted,
        cast(sum(credits.effort_micro) as bigint) as effort_micro,
        cast(sum(credits.etv_micro) as bigint) as etv_micro,
        cast(sum(credits.commits) as bigint) as commits
    from credits
    inner join repositories on credits.repository_id = repositories.repository_id
    inner join months on cast(date_trunc('month', credits.delivered_on) as date) = months.month
    left join scopes on credits.commit_sha = scopes.commit_sha
    left join grants
        on
            credits.commit_sha = grants.commit_sha
            and months.policy_version = grants.policy_version
            and credits.category = grants.category
            and credits.commit_category = grants.commit_category
    group by
        credits.developer_id,
        cast(date_trunc('month', credits.delivered_on) as date),
        credits.repository_id,
        credits.category,
        credits.commit_category,
        scopes.issue_types,
        scopes.objective_ids,
        grants.commit_sha is not null
)

select
    cells.month,
    cells.developer_id,
    cells.repository_id,
    cells.category,
    cells.commit_category,
    months.policy_version,
    cells.issue_types,
    cells.objective_ids,
    capitalizable.category is not null or cells.is_granted as is_capitalizable,
    cells.effort_micro,
    cells.etv_micro,
    cells.commits
from cells
inner join months on cells.month = months.month
left join capitalizable
    on
        months.policy_version = capitalizable.policy_version
        and cells.repository_id = capitalizable.repository_id
        and cells.category = capitalizable.category
        and cells.commit_category = capitalizable.commit_category
