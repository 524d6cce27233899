{#- A column for each category instead of a row, so that sums need not look at texts. -#}
{% macro summed_categories(days) -%}
{% for name in categories() -%}
coalesce(sum({{ days }}.etv_micro) filter (where {{ days }}.category = '{{ name }}'), 0)::bigint as {{ name }}_etv_micro
{{- ',\n    ' if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- First day of a period, which is a day, a month or a year. -#}
{% macro period_start(period, day) -%}
case {{ period }} when 'day' then {{ day }} else date_trunc({{ period }}, {{ day }})::date end
{%- endmacro %}

{#- Row numbers of the published teams, repositories or developers, which other tables have in place of ids. -#}
{% macro row_numbers(entity) -%}
{% set tables = {'team': 'teams', 'repository': 'api_v1__repositories', 'developer': 'api_v1__developers'} -%}
select
        {{ entity }}_id,
        position::integer as {{ entity }}_number
    from {{ ref(tables[entity]) }}
{%- endmacro %}

{#- Row numbers of all published repositories, developers and teams. -#}
{% macro entity_numbers() -%}
{% for entity in ['repository', 'developer', 'team'] -%}
select
        {{ entity }}_id as entity_id,
        {{ entity }}_number as entity_number
    from ({{ row_numbers(entity) }})
    {{- '\n    union all\n    ' if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- Daily rows summed over days, months and years by the row numbers of the given entities (team, repository, developer).
    Any range is some years, months and days, so that its sum reads few rows. -#}
{% macro summed_periods(entities) -%}
with days as (
    select * from {{ ref('api_v1__daily') }}
),

{% for entity in entities -%}
{{ entity }}_numbers as (
    {{ row_numbers(entity) }}
),

{% endfor -%}
spread as (
    select
        *,
        {{ period_start('period', 'delivered_on') }} as period_start
    from days
    cross join (select unnest(['day', 'month', 'year']) as period)
)

select
    days.period,
    days.period_start,
    {% for entity in entities -%}
    {{ entity }}_numbers.{{ entity }}_number,
    {% endfor -%}
    days.is_bot,
    days.is_sandbox,
    {{ summed_measures('days') }},
    {{ summed_categories('days') }}
from spread as days
{% for entity in entities -%}
left join {{ entity }}_numbers on days.{{ entity }}_id = {{ entity }}_numbers.{{ entity }}_id
{% endfor -%}
group by all
order by period, period_start, {% for entity in entities %}{{ entity }}_number, {% endfor %}is_bot, is_sandbox
{%- endmacro %}
