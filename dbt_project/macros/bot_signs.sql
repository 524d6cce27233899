{#- True where a value of a name or address has the sign of a bot; `pattern` is a row of bot_patterns. -#}
{% macro is_sign_of_bot(pattern, value) -%}
  case {{ pattern }}.kind
    when 'equals' then {{ value }} = {{ pattern }}.value
    when 'contains' then position({{ pattern }}.value in {{ value }}) > 0
    when 'ends_with' then right({{ value }}, length({{ pattern }}.value)) = {{ pattern }}.value
    when 'matches' then {{ contains_and_matches(value, "coalesce(" ~ pattern ~ ".part, '')", pattern ~ ".value") }}
    else false
  end
{%- endmacro %}
