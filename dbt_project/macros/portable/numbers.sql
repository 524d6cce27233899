{#- An integer wide enough for the product of four factors in millionths. -#}
{% macro wide(number) %}{{ return(spelled('wide')(number)) }}{% endmacro %}

{% macro duckdb__wide(number) -%} cast({{ number }} as hugeint) {%- endmacro %}

{% macro spark__wide(number) -%} cast({{ number }} as decimal(38, 0)) {%- endmacro %}

{#- Whole part of the ratio of two integers that are not negative. -#}
{% macro whole_ratio(numerator, denominator) %}{{ return(spelled('whole_ratio')(numerator, denominator)) }}{% endmacro %}

{% macro duckdb__whole_ratio(numerator, denominator) -%}
  cast(({{ numerator }}) // ({{ denominator }}) as bigint)
{%- endmacro %}

{% macro spark__whole_ratio(numerator, denominator) -%} (({{ numerator }}) div ({{ denominator }})) {%- endmacro %}

{#- Ratio of two integers that are not negative, rounded half up: the one rounding of the scores. -#}
{% macro rounded_ratio(numerator, denominator) -%}
  {{ whole_ratio('2 * (' ~ numerator ~ ') + (' ~ denominator ~ ')', '2 * (' ~ denominator ~ ')') }}
{%- endmacro %}
