{#-
  Rows of a seed as literals on Spark. The session of dbt-spark puts text between quotes as it is, so that an apostrophe
  ends it and a pattern loses its backslashes.
-#}
{% macro spark__load_csv_rows(model, agate_table) %}
  {%- set types = model.config.get('column_types', {}) -%}
  {%- set sql -%}
insert into {{ this.render() }}
select
    {%- for name in agate_table.column_names %}
    cast({{ name }} as {{ types.get(name, adapter.convert_type(agate_table, loop.index0)) }}){{ ',' if not loop.last }}
    {%- endfor %}
from values
    {%- for row in agate_table.rows %}
    (
      {%- for name in agate_table.column_names -%}
      {{ seed_literal(row[name]) }}{{ ', ' if not loop.last }}
      {%- endfor -%}
    ){{ ',' if not loop.last }}
    {%- endfor %}
as written ({{ agate_table.column_names | join(', ') }})
  {%- endset -%}
  {%- do adapter.add_query(sql, abridge_sql_log=True) -%}
  {{ return(sql) }}
{% endmacro %}

{#- A value as a literal of Spark. -#}
{% macro seed_literal(value) -%}
  {%- if value is none -%} null
  {%- elif value is string -%} '{{ value | replace("\\", "\\\\") | replace("'", "\\'") }}'
  {%- else -%} '{{ value }}'
  {%- endif -%}
{%- endmacro %}
