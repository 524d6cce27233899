{#-
  ETV and developer-days of an entity up to and with a day, from the latest row of fct_entity_days at or before it.
  `day` is a column of `asked`, a relation with entity_kind and entity_id; columns: what `asked` has, and the two totals.
  No `or` in the join: with it DuckDB compares every row with every row.
-#}
{% macro totals_until(asked, day, prefix) -%}
select
    asked.*,
    coalesce(days.etv_until_micro, 0) as {{ prefix }}_etv_micro,
    coalesce(
        days.developer_days_before + days.employed * ({{ days_between('days.day', 'asked.' ~ day) }} + 1), 0
    ) as {{ prefix }}_developer_days
from {{ asked }} as asked
left join {{ ref('fct_entity_days') }} as days
    on
        asked.entity_kind = days.entity_kind
        and asked.entity_id = days.entity_id
        and asked.{{ day }} >= days.day
        and asked.{{ day }} < coalesce(days.next_day, cast('9999-12-31' as date))
{%- endmacro %}
