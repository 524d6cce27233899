{#- The kinds of checks as rows, from the var of the project. -#}
{% macro check_kind_rows() -%}
{%- set micro = 1000000 -%}
{% for kind in var('check_kinds') -%}
    select
        '{{ kind.name }}' as kind,
        '{{ kind.unit }}' as unit,
        {{ kind.is_below | default(false) | lower }} as is_below,
        {{ kind.is_on | lower }} as is_on,
        cast({{ (kind.threshold * micro) | int if kind.threshold is defined else 'null' }} as bigint) as threshold_micro,
        cast({{ (kind.critical * micro) | int if kind.critical is defined else 'null' }} as bigint) as critical_micro,
        cast({{ kind.lasting_days | default('null') }} as integer) as lasting_days
    {{- '\n    union all\n' if not loop.last }}
{% endfor %}
{%- endmacro %}

{#- Whether a measured value has reached a threshold; a kind without a threshold needs none. -#}
{% macro reaches(value, threshold) -%}
({{ threshold }} is null or case when is_below then {{ value }} <= {{ threshold }} else {{ value }} >= {{ threshold }} end)
{%- endmacro %}
