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

{#- Whole part of such a ratio where the numerator is `wide`. -#}
{% macro wide_ratio(numerator, denominator) %}{{ return(spelled('wide_ratio')(numerator, denominator)) }}{% endmacro %}

{#-
  DuckDB divides wide integers bit by bit, ten times slower than all else that a score takes. Up to 2^50 the ratio of
  the doubles is at most one off, which the exact remainder tells.
-#}
{% macro duckdb__wide_ratio(numerator, denominator) -%}
  {%- set ratio = 'cast(' ~ numerator ~ ' as double) / cast(' ~ denominator ~ ' as double)' -%}
  {%- set near = 'cast(floor(' ~ ratio ~ ') as bigint)' -%}
  {%- set remainder = '(' ~ numerator ~ ') - ' ~ near ~ ' * (' ~ denominator ~ ')' -%}
  case
    when {{ ratio }} < 1125899906842624
      then {{ near }} + case when {{ remainder }} < 0 then -1 when {{ remainder }} >= {{ denominator }} then 1 else 0 end
    else cast(({{ numerator }}) // ({{ denominator }}) as bigint)
  end
{%- endmacro %}

{% macro spark__wide_ratio(numerator, denominator) -%} (({{ numerator }}) div ({{ denominator }})) {%- endmacro %}

{#- Ratio of two integers that are not negative, rounded half up: the one rounding of the scores. -#}
{% macro rounded_ratio(numerator, denominator) -%}
  {{ wide_ratio('2 * (' ~ numerator ~ ') + (' ~ denominator ~ ')', '2 * (' ~ denominator ~ ')') }}
{%- endmacro %}

{#- A whole number of hundredths as a decimal, which shows 0.3 as 0.30 and adds up exactly. -#}
{% macro hundredths(number) -%} cast(({{ number }}) * 0.01 as decimal(18, 2)) {%- endmacro %}

{#- A whole number in texts that people read, with its thousands: 1,557. -#}
{% macro with_thousands(number) %}{{ return(spelled('with_thousands')(number)) }}{% endmacro %}

{% macro duckdb__with_thousands(number) -%} format('{:,}', cast({{ number }} as bigint)) {%- endmacro %}

{% macro spark__with_thousands(number) -%} format_number({{ number }}, 0) {%- endmacro %}
