{#-
  Models call a macro of this folder where DuckDB and Spark have different syntax.

  `sql_dialect` renders another engine's spelling on this one, so that a test can read every model as Spark would.
-#}
{% macro spelled(name) -%}
  {%- set wanted = var('sql_dialect', none) -%}
  {%- if wanted -%}
    {{ return(context[wanted ~ '__' ~ name]) }}
  {%- endif -%}
  {#- By another name, because dbt reads calls of adapter.dispatch before it runs them and wants a literal there. -#}
  {%- set find = adapter.dispatch -%}
  {{ return(find(name, 'engineering_analytics')) }}
{%- endmacro %}

{#- After `as` of a step that two others read: each reads on its own, instead of all its rows being kept. -#}
{% macro inlined() %}{{ return(spelled('inlined')()) }}{% endmacro %}

{% macro duckdb__inlined() -%} not materialized {%- endmacro %}

{% macro spark__inlined() -%} {%- endmacro %}
