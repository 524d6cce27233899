{#- The columns of a published table as its contract declares them; a select of some of them by name follows. -#}
{% macro contracted(table) -%}
select
    {% for name, kind in var('contracts')[table].items() -%}
    cast(null as {{ kind }}) as {{ name }}{{ ',' if not loop.last }}
    {% endfor -%}
where false
union all by name
{%- endmacro %}

{#- Creates the other published tables without rows. -#}
{% macro create_empty_tables() -%}
{% for table, columns in var('contracts').items() if table not in var('filled') -%}
create or replace table published.main.{{ table }} (
    {%- for name, kind in columns.items() %}{{ name }} {{ kind }}{{ ', ' if not loop.last }}{% endfor -%}
);
{% endfor -%}
{%- endmacro %}

{#- Every row of every raw table of some sources as text, so that no change of a raw file stays out of the published rows. -#}
{% macro raw_rows(nouns) -%}
{% for noun in nouns -%}
{% set outer = loop -%}
{% for table in var('raw_tables')[noun] -%}
select '{{ noun }}/{{ table }}' as raw_table, cast(to_json(raw) as varchar) as content
from {{ source(noun, table) }} as raw
{{ 'union all' if not (loop.last and outer.last) }}
{% endfor -%}
{% endfor -%}
{%- endmacro %}
