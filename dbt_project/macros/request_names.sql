{#- A title as people and queues change it: without case, the number, and the words that bors and imports put before it. -#}
{% macro compared_title(title) -%}
{{ replaced(
    "lower(trim(" ~ title ~ "))",
    pattern_text(
        '^(\\[merged by [a-z-]+\\] *-? *|(pr|pull request|merge request)? *[#!][0-9]+ *:? *)+'
        ~ '|( *\\((pr |pull request )?[#!][0-9]+\\))+$|[ .…]+$'
    ),
    "''"
) }}
{%- endmacro %}

{#- `owner/name#number` of the address of a pull request; empty for any other one. -#}
{% macro address_of_request(address) -%}
{%- set form = pattern_text('^https?:/{2}[^/]+/(.+?)/(-/)?(pull|pulls|merge_requests|pull-requests|pullrequest)/([0-9]+)') -%}
case
    when {{ matches(address, form) }}
        then concat(lower({{ first_match(address, form, 1) }}), '#', {{ first_match(address, form, 4) }})
    else ''
end
{%- endmacro %}
