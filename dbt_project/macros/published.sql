{#- The sums of daily rows that published tables have. -#}
{% macro summed_measures(days='daily') -%}
{% set measures = [
    'etv_micro', 'effort_micro', 'points_micro', 'ai_etv_micro', 'commits', 'ai_commits', 'files', 'lines_added',
    'lines_deleted',
] -%}
{% for measure in measures -%}
sum({{ days }}.{{ measure }})::bigint as {{ measure }}{{ ',\n    ' if not loop.last }}
{%- endfor %}
{%- endmacro %}

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
