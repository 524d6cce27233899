-- The rules of a policy that ask for an issue, one row per commit and combination that they cover.

{% set categories = categories() -%}
with rules as (
    select * from {{ ref('int_capex__rules') }}
    where category is not null and (issue_type is not null or objective_id is not null)
),

scopes as (
    select * from {{ ref('int_alignment__scopes') }}
),

commits as (
    select
        commit_sha,
        repository_id
    from {{ ref('int_commits') }}
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
    scopes.commit_sha,
    rules.policy_version,
    rules.category,
    main_categories.commit_category
from scopes
inner join commits on scopes.commit_sha = commits.commit_sha
cross join rules
inner join main_categories on rules.commit_category in ('any', main_categories.commit_category)
where
    coalesce(rules.repository_id, commits.repository_id) = commits.repository_id
    and (
        rules.issue_type is null
        or coalesce({{ position_in('scopes.issue_types', 'lower(rules.issue_type)') }}, 0) > 0
    )
    and (
        rules.objective_id is null
        or coalesce({{ position_in('scopes.objective_ids', 'rules.objective_id') }}, 0) > 0
    )
