-- Commits of which a model of messages decides the category, with the main category that each scenario would give: the
-- files that follow the commit's intent get the scenario's category, all others and tests inside these keep theirs.

{% set kinds = ['features', 'maintenance', 'fixes'] -%}
with parts_of_files as (
    {{ category_parts() | indent(4) }}
),

files as (
    select
        *,
        category_method in ('model', 'overruled_type', 'endpoint') as is_judged
    from parts_of_files
),

commits as (
    select * from {{ ref('fct_commits') }}
    where is_counted and not is_bot
),

intents as (
    select * from {{ ref('int_categories__commits') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
    where not is_sandbox
),

months as (
    select * from {{ ref('dim_capex_months') }}
),

by_category as (
    select
        commit_sha,
        category,
        sum(effort_micro) as effort_micro,
        sum(case when is_judged then effort_micro else 0 end) as judged_effort_micro,
        sum(case when is_judged then etv_micro else 0 end) as judged_etv_micro,
        sum(case when is_judged then lines_added + lines_deleted else 0 end) as judged_lines,
        sum(case when is_judged then 0 else etv_micro end) as other_etv_micro,
        sum(case when is_judged then 0 else lines_added + lines_deleted end) as other_lines,
        count(case when not is_judged then 1 end) as other_files
    from files
    group by commit_sha, category
),

undecided as (
    select
        by_category.commit_sha,
        by_category.category,
        by_category.effort_micro as category_effort_micro,
        by_category.judged_effort_micro,
        by_category.judged_etv_micro,
        by_category.judged_lines,
        commits.commit_id,
        commits.repository_id,
        months.month,
        months.policy_version,
        {% for kind in kinds -%}
        intents.{{ kind }}_probability{{ ',' if not loop.last }}
        {% endfor %}
    from by_category
    inner join commits on by_category.commit_sha = commits.commit_sha
    inner join intents on by_category.commit_sha = intents.commit_sha
    inner join repositories on commits.repository_id = repositories.repository_id
    inner join months on cast(date_trunc('month', commits.delivered_on) as date) = months.month
    where by_category.judged_effort_micro > 0 and intents.features_probability is not null
),

scenarios as (
    {% for kind in kinds -%}
    select
        commit_sha,
        '{{ kind }}' as kind,
        judged_etv_micro,
        judged_lines
    from undecided
    {%- if not loop.last %}
    union all
    {% endif -%}
    {% endfor %}
),

-- A category that only judged files had is gone where these have another.
parts as (
    select
        commit_sha,
        kind,
        kind as category,
        judged_etv_micro as etv_micro,
        judged_lines as lines
    from scenarios
    union all
    select
        scenarios.commit_sha,
        scenarios.kind,
        by_category.category,
        by_category.other_etv_micro as etv_micro,
        by_category.other_lines as lines
    from scenarios
    inner join by_category on scenarios.commit_sha = by_category.commit_sha
    where by_category.other_files > 0
),

sums as (
    select
        commit_sha,
        kind,
        category,
        sum(etv_micro) as etv_micro,
        sum(lines) as lines
    from parts
    group by commit_sha, kind, category
),

-- The same order as decides the main category of a commit.
placed as (
    select
        commit_sha,
        kind,
        category as commit_category,
        row_number() over (partition by commit_sha, kind order by etv_micro desc, lines desc, category) as place
    from sums
),

main_categories as (
    select
        commit_sha,
        {% for kind in kinds -%}
        max(case when kind = '{{ kind }}' then commit_category end) as {{ kind }}_commit_category{{ ',' if not loop.last }}
        {% endfor %}
    from placed
    where place = 1
    group by commit_sha
)

select
    undecided.commit_sha,
    undecided.commit_id,
    undecided.repository_id,
    undecided.month,
    undecided.policy_version,
    undecided.category,
    {% for kind in kinds -%}
    undecided.{{ kind }}_probability,
    {% endfor -%}
    {% for kind in kinds -%}
    main_categories.{{ kind }}_commit_category,
    {% endfor -%}
    cast(undecided.category_effort_micro as bigint) as category_effort_micro,
    cast(undecided.judged_effort_micro as bigint) as judged_effort_micro
from undecided
inner join main_categories on undecided.commit_sha = main_categories.commit_sha
