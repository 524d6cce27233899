{#-
  Tables and views that are replaced where they stand. dbt's own way makes the new one under another name, renames the old
  one and the new one and drops the old one: four statements more for each model, a third of the time of a small build.
  Nobody reads a warehouse while it is built, and readers keep the published build when one fails.
-#}
{% materialization table, adapter='duckdb' %}
  {{ return(replace_relation('table')) }}
{% endmaterialization %}

{% materialization view, adapter='duckdb' %}
  {{ return(replace_relation('view')) }}
{% endmaterialization %}

{#-
  The rows of a table that Spark has built, from its files below the folder `spark_tables`. A contract has DuckDB's types.
-#}
{% macro rows_of_spark() -%}
{#- `sorted_rows` adds the number of a row. -#}
{%- set numbered = 'position' if (published_tables(model).values() | list + [{}])[0].is_numbered -%}
select
{%- if config.get('contract').enforced %}
  {%- for column in model.columns.values() | rejectattr('name', 'equalto', numbered) %}
  cast({{ column.name }} as {{ column.data_type }}) as {{ column.name }}{{ ',' if not loop.last }}
  {%- endfor %}
{%- else %} *
{%- endif %}
from read_parquet('{{ var('spark_tables') | replace("'", "''") }}/{{ this.identifier }}/*.parquet', hive_partitioning = false)
{%- endmacro %}

{#- A table or view of the same name from an earlier release is dropped first, in the same transaction. -#}
{% macro replace_relation(type) %}
  {%- set existing = load_cached_relation(this) -%}
  {%- set tables = published_tables(model) -%}
  {%- if type == 'table' and var('spark_tables', '') and 'published' not in model.fqn -%}
    {%- set sql = rows_of_spark() -%}
    {%- set type = 'table' if tables or config.get('contract').enforced else 'view' -%}
  {%- endif -%}
  {%- set target = this.incorporate(type=type) -%}
  {%- set sql = sorted_rows(sql, tables.values() | first) if tables else sql -%}
  {{ run_hooks(pre_hooks) }}
  {%- call statement('main') -%}
    {%- if existing is not none and existing.type != type %}
    drop {{ existing.type }} {{ existing }};
    {%- endif %}
    {%- if config.get('contract').enforced %}
    {{ get_assert_columns_equivalent(sql) }}
    {%- endif %}
    {%- if type == 'table' and config.get('contract').enforced %}
    create or replace table {{ target }} {{ get_table_columns_and_constraints() }};
    insert into {{ target }} {{ get_column_names() }} ({{ get_select_subquery(sql) }});
    {%- else %}
    create or replace {{ type }} {{ target }} as (
    {{ sql }}
    );
    {%- endif %}
    {{- repeated_tables(target, tables) if tables }}
  {%- endcall %}
  {{ run_hooks(post_hooks) }}
  {{ adapter.commit() }}
  {{ return({'relations': [target]}) }}
{% endmacro %}
