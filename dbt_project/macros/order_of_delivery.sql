{#- Whether one commit was delivered before another one, by relations with their delivery_number and commit_number. -#}
{% macro comes_before(earlier, later) -%}
(
    {{ earlier }}.delivery_number < {{ later }}.delivery_number
    or (
        {{ earlier }}.delivery_number = {{ later }}.delivery_number
        and {{ earlier }}.commit_number < {{ later }}.commit_number
    )
)
{%- endmacro %}
