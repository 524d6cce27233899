{#- An address as it is compared: without case and white space around it. -#}
{% macro compared_address(email) -%} lower(trim({{ email }})) {%- endmacro %}

{#- A name as it is compared: ASCII letters, no case, no punctuation, no single letters ("John A. Smith" = "john smith"). -#}
{% macro compared_name(name) -%}
  trim({{ replaced(
    replaced(
      replaced(
        "lower(translate(" ~ unaccented("trim(" ~ name ~ ")") ~ ", 'øØłŁđĐıæÆœŒ', 'oOlLdDiaAoO'))",
        pattern_text("[^\\p{L}\\p{N}\\[\\]]+"), "' '"
      ),
      pattern_text("(^| )(\\p{L} )+"), "' '"
    ),
    pattern_text(" +\\p{L}?$| +"), "' '"
  ) }})
{%- endmacro %}

{#- A display name as logins are compared: without accents, case and white space around it. Hyphens stay: they part logins. -#}
{% macro compared_login(name) -%} lower({{ unaccented("trim(" ~ name ~ ")") }}) {%- endmacro %}
