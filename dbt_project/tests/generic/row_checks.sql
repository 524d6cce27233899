{#-
  The checks of a relation's rows in one test, because each test costs dbt more than its query does. One row per check
  that fails, with its name and the number of rows, values or keys that fail it.

  unique: columns, or lists of columns, that no two rows share (nulls of a single column may repeat).
  never_null: columns that always have a value.
  accepted: by column the values that it may have, beside null.
  found_in: by column the relation (`to`) and its column (`field`) that have each of its values.
  published: the published tables of a mart (macros/materializations/publishing.sql). They have as many rows as the mart, and
    `position` is the number of a row in the file, from 0.
-#}
{% test row_checks(model, unique=[], never_null=[], accepted={}, found_in={}, published={}) %}
{%- set checks = [] -%}
{%- for key in unique -%}
  {%- set columns = [key] if key is string else key -%}
  {%- do checks.append(
    "select 'unique: " ~ columns | join(', ') ~ "' as failed, count(*) as failures from (select "
    ~ columns | join(', ') ~ " from " ~ model
    ~ (" where " ~ key ~ " is not null" if key is string else "")
    ~ " group by " ~ columns | join(', ') ~ " having count(*) > 1) as repeated"
  ) -%}
{%- endfor -%}
{%- if never_null or accepted -%}
  {%- set counted = [] -%}
  {%- for column in never_null -%}
    {%- do counted.append("count(*) - count(" ~ column ~ ")") -%}
  {%- endfor -%}
  {%- for column, values in accepted.items() -%}
    {%- do counted.append("count(case when " ~ column ~ " not in ('" ~ values | join("', '") ~ "') then 1 end)") -%}
  {%- endfor -%}
  {%- do checks.append(
    "select 'never null: " ~ never_null | join(', ') ~ "; accepted: " ~ accepted.keys() | join(', ')
    ~ "' as failed, " ~ counted | join(' + ') ~ " as failures from " ~ model
  ) -%}
{%- endif -%}
{%- for column, place in found_in.items() -%}
  {%- do checks.append(
    "select 'found in: " ~ column ~ "' as failed, count(*) as failures from " ~ model ~ " as child left join "
    ~ place.to ~ " as parent on child." ~ column ~ " = parent." ~ place.field
    ~ " where child." ~ column ~ " is not null and parent." ~ place.field ~ " is null"
  ) -%}
{%- endfor -%}
{%- for name, table in published.items() -%}
  {%- set relation = model.incorporate(path={'identifier': name}) -%}
  {%- do checks.append(
    "select 'rows: " ~ name ~ "' as failed, abs((select count(*) from " ~ relation ~ ") - (select count(*) from "
    ~ model ~ ")) as failures"
  ) if not loop.first -%}
  {%- do checks.append(
    "select 'position: " ~ name ~ "' as failed, count(*) as failures from " ~ relation
    ~ " where position is distinct from rowid"
  ) if table.is_numbered -%}
{%- endfor %}
select * from (
{{ checks | join('\nunion all\n') }}
) as checked
where failures > 0
{% endtest %}
