-- What the kinds of checks measured in rows of connections. The kinds are parts of this table, which costs one step.

{% set kinds = [] -%}
{% for kind in var('check_kinds') if is_connected(kind) %}{% do kinds.append(kind) %}{% endfor -%}
with found as (
{{ measured_kinds(kinds) }}
)

select * from found
