{#- Sums of measures, which vars of dbt_project.yml list, over rows of credits or days. -#}
{% macro summed_measures(rows='daily', measures=var('measures')) -%}
{% for measure in measures -%}
cast(sum({{ rows }}.{{ measure.name }}) as {{ measure.data_type }}) as {{ measure.name }}{{ ',\n    ' if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The sums that rows of a day have. -#}
{% macro summed_measures_of_days(rows) -%}
{{ summed_measures(rows, var('measures') + var('measures_of_days_alone')) }}
{%- endmacro %}
