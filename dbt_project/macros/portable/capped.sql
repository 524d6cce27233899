{#-
  A number that stands at `most` where it is larger. Null stays null, which `least` would lose in DuckDB.
-#}
{% macro capped(number, most=var('largest_usage')) -%}
case
        when {{ number }} > {{ most }} then {{ most }}
        when {{ number }} < -{{ most }} then -{{ most }}
        else {{ number }}
    end
{%- endmacro %}

{#- Such a sum: one of 64 bits would stop the build when somebody sends enough of the largest events. -#}
{% macro capped_sum(number) -%} cast({{ capped(wide_sum(number)) }} as bigint) {%- endmacro %}

{#- A sum that is wide enough for all rows. -#}
{% macro wide_sum(number) %}{{ return(spelled('wide_sum')(number)) }}{% endmacro %}

{% macro duckdb__wide_sum(number) -%} sum({{ number }}) {%- endmacro %}

{% macro spark__wide_sum(number) -%} sum({{ wide(number) }}) {%- endmacro %}

{#- Whether one of some columns stands at the largest number. -#}
{% macro is_capped(columns) -%}
{%- for column in columns -%}
coalesce(abs({{ column }}) >= {{ var('largest_usage') }}, false){{ '\n    or ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}

{#- Whole part of a ratio of two numbers that are not negative, which is a million at most, times a factor. -#}
{% macro bounded_ratio(numerator, denominator, factor) -%}
{{ wide_ratio(
    'least(' ~ wide(numerator) ~ ', ' ~ wide(denominator) ~ ' * 1000000) * ' ~ factor, wide(denominator)
) }}
{%- endmacro %}
