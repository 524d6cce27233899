{{ config(materialized='view') }}
-- The rules of a policy that ask for no issue, one row per combination that they cover, so that work joins them by
-- equality.

{% set categories = categories() -%}
with rules as (
    select * from {{ ref('int_capex__rules') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
    where not is_sandbox
),

main_categories as (
    {% for category in categories -%}
    select '{{ category }}' as commit_category
    {%- if not loop.last %}
    union all
    {% endif -%}
    {% endfor %}
)

-- Several rules may name the same work.
select distinct
    rules.policy_version,
    repositories.repository_id,
    rules.category,
    main_categories.commit_category
from rules
inner join repositories on coalesce(rules.repository_id, repositories.repository_id) = repositories.repository_id
inner join main_categories on rules.commit_category in ('any', main_categories.commit_category)
where rules.category is not null and rules.issue_type is null and rules.objective_id is null
