-- What the kinds of checks measured in usage of AI tools. The kinds are parts of this table, which costs one step.

{% set kinds = [] -%}
{% for kind in var('check_kinds') if kind.source == 'ai_usage' %}{% do kinds.append(kind) %}{% endfor -%}
with found as (
{{ measured_kinds(kinds) }}
)

select * from found
