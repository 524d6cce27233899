{#-
  A mart is published by `meta.published` in its yml: the tables of the published file that are made of it, each with the
  columns that sort it (`order_by`). The first one is the mart itself, under the table's name; the others repeat its rows
  in another order, for other reads. With `is_numbered`, a table has the number of each row, from 0, as `position`.
  `without` names columns that a repeated table leaves out.
-#}
{% macro published_tables(node) %}
  {{- return(node.config.meta.published or {}) -}}
{% endmacro %}

{#- dbt asks these two when it parses the project: the name and the database of a model's relation. -#}
{% macro generate_alias_name(custom_alias_name=none, node=none) -%}
  {{- (published_tables(node) | list + [custom_alias_name or node.name])[0] -}}
{%- endmacro %}

{% macro generate_database_name(custom_database_name=none, node=none) -%}
  {#- Spark has schemas alone, and no file beside its own. -#}
  {%- if target.type == 'spark' -%} {{ return(none) }} {%- endif -%}
  {{- 'published' if published_tables(node) else (custom_database_name or target.database) -}}
{%- endmacro %}

{#- The rows arrive sorted at the numbering: a window with an order of its own would hold every column. -#}
{% macro sorted_rows(rows, table) -%}
{%- set sorted -%} select * from (
{{ rows }}
) as unsorted
order by {{ table.order_by }} {%- endset -%}
{%- if table.is_numbered -%}
select
    (row_number() over () - 1)::bigint as position,
    *
from ({{ sorted }}) as sorted
{%- else -%}
{{ sorted }}
{%- endif -%}
{%- endmacro %}

{#- Statements that make the other tables of a mart. -#}
{% macro repeated_tables(relation, tables) -%}
{%- set first = tables.values() | first -%}
{%- for name, table in (tables.items() | list)[1:] %}
{%- set left_out = (table.without or []) + (['position'] if first.is_numbered else []) -%}
{%- set rows -%}
select *{% if left_out %} exclude ({{ left_out | join(', ') }}){% endif %} from {{ relation }}
{%- endset %}
create or replace table {{ relation.incorporate(path={'identifier': name}) }} as (
{{ sorted_rows(rows, table) }}
);
{%- endfor -%}
{%- endmacro %}
