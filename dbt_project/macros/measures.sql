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

{# The last day of somebody without a leaving date: that of the build for whoever has delivered over four weeks or more,
   and within the last four; else the day of the last delivery. #}
{% macro still_there(first_on, last_on, today) -%}
    case
        when {{ days_between(first_on, last_on) }} >= {{ var('still_there_days') }}
            and {{ days_between(last_on, today) }} < {{ var('still_there_days') }}
            then greatest({{ last_on }}, {{ today }})
        else {{ last_on }}
    end
{%- endmacro %}
