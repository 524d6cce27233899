-- Objectives that stand below no other. In a quarter the organization has all that were not over before, with value or not.

with periods as (
    select * from {{ ref('dim_summary_periods') }}
),

days as (
    {{ days_of_summaries() }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

items as (
    select
        items.*,
        cast({{ local_time('organization.time_zone', 'items.created_at') }} as date) as created_on,
        cast({{ local_time('organization.time_zone', 'items.completed_at') }} as date) as completed_on
    from {{ ref('int_alignment__items') }} as items
    cross join organization
),

objectives as (
    select * from items
    where level in ('objective', 'sub_objective') and goal_parent_id is null
),

worked as (
    select * from {{ ref('fct_objective_days') }}
    where not is_bot and objective_id in (select objectives.item_id from objectives)
),

scoped as (
    {{ rows_of_scopes('worked', ['objective_id', 'delivered_on', 'developer_id', 'category', 'etv_micro', 'commits']) }}
),

delivered as (
    select
        scoped.scope_kind,
        scoped.scope_id,
        days.period,
        days.number,
        scoped.objective_id,
        {% for category in categories() -%}
        sum(case when scoped.category = '{{ category }}' then scoped.etv_micro else 0 end) as {{ category }}_etv_micro,
        {% endfor -%}
        sum(scoped.etv_micro) as etv_micro,
        sum(scoped.commits) as commits,
        count(distinct scoped.developer_id) as people
    from scoped
    inner join days on scoped.delivered_on = days.day
    group by scoped.scope_kind, scoped.scope_id, days.period, days.number, scoped.objective_id
),

asked as (
    select
        delivered.scope_kind,
        delivered.scope_id,
        delivered.period,
        delivered.number,
        delivered.objective_id
    from delivered
    inner join periods on delivered.period = periods.period and delivered.number = periods.number
    where periods.is_told and delivered.etv_micro > 0
    union distinct
    select
        'ORGANIZATION' as scope_kind,
        '{{ var("organization_id") }}' as scope_id,
        periods.period,
        periods.number,
        objectives.item_id as objective_id
    from objectives
    inner join periods
        on
            (objectives.created_on is null or objectives.created_on <= periods.period_end)
            and (
                objectives.status_category not in ('done', 'canceled')
                or objectives.completed_on >= periods.period_start
            )
    where periods.is_told and periods.period = 'quarter'
),

told as (
    select
        asked.*,
        {% for category in categories() -%}
        coalesce(delivered.{{ category }}_etv_micro, 0) as {{ category }}_etv_micro,
        {% endfor -%}
        coalesce(delivered.etv_micro, 0) as etv_micro,
        coalesce(delivered.commits, 0) as commits,
        coalesce(previous.etv_micro, 0) as previous_micro,
        least(delivered.people, previous.people) as people,
        row_number() over (
            partition by asked.scope_kind, asked.scope_id, asked.period, asked.number
            order by coalesce(delivered.etv_micro, 0) desc, asked.objective_id
        ) as place
    from asked
    {% for rows, number in [('delivered', 'asked.number'), ('previous', 'asked.number + 1')] -%}
    left join delivered{{ ' as previous' if rows == 'previous' }}
        on
            asked.scope_kind = {{ rows }}.scope_kind
            and asked.scope_id = {{ rows }}.scope_id
            and asked.period = {{ rows }}.period
            and {{ number }} = {{ rows }}.number
            and asked.objective_id = {{ rows }}.objective_id
    {% endfor %}
),

issues as (
    select
        ancestors.ancestor_id as objective_id,
        items.created_on,
        case when items.status_category = 'done' then coalesce(items.completed_on, items.created_on) end as done_on
    from {{ ref('int_alignment__ancestors') }} as ancestors
    inner join items on ancestors.item_id = items.item_id
    where items.level = 'issue' and ancestors.distance > 0
),

progress as (
    select
        asked.period,
        asked.number,
        asked.objective_id,
        count(*) as issues,
        count(case when issues.done_on <= periods.period_end then 1 end) as done_issues,
        count(case when issues.done_on < periods.period_start then 1 end) as done_before
    from (select distinct
        period,
        number,
        objective_id
    from asked) as asked
    inner join periods on asked.period = periods.period and asked.number = periods.number
    inner join issues
        on
            asked.objective_id = issues.objective_id
            and (issues.created_on is null or issues.created_on <= periods.period_end)
    group by asked.period, asked.number, asked.objective_id
),

named as (
    select
        told.*,
        objectives.title,
        objectives.key as reference,
        objectives.url,
        objectives.target_on,
        progress.issues,
        progress.done_issues,
        progress.done_before
    from told
    inner join objectives on told.objective_id = objectives.item_id
    left join progress
        on
            told.period = progress.period
            and told.number = progress.number
            and told.objective_id = progress.objective_id
)

{% set scope = 'scope_kind,\n    scope_id,\n    period,\n    number,' -%}
{% set about = {
    'subject_type': "'OBJECTIVE'", 'subject_id': 'objective_id', 'subject_title': 'title',
    'subject_reference': 'reference', 'url': 'url', 'position': 'place'
} -%}
select
    {{ scope }}
    {{ fact(
        'objective', 'place', unit="'ETV'", value_micro='etv_micro', previous_micro='previous_micro', basis='commits',
        people='people', **about
    ) }}
from named
union all
select
    {{ scope }}
    {{ fact(
        'objective_progress', 'place', unit="'COUNT'", value_micro=millionths('done_issues'),
        previous_micro=millionths('done_before'), basis='issues', **about
    ) }}
from named
where issues > 0
union all
select
    {{ scope }}
    {{ fact('objective_target', 'place', unit="'DATE'", on_date='target_on', **about) }}
from named
where period = 'quarter' and target_on is not null
{% for category in categories() -%}
union all
select
    {{ scope }}
    {{ fact(
        'objective_category', "concat(place, '." ~ category ~ "')", unit="'ETV'",
        value_micro=category ~ '_etv_micro', people='people', note="'" ~ category.upper() ~ "'", **about
    ) }}
from named
where period <> 'week' and {{ category }}_etv_micro > 0
{% endfor %}
