{#- The words of a message in lower case with their commonest endings cut off, separated by single spaces. -#}
{% macro message_words(text) -%}
  trim({{ replaced(
    replaced('lower(' ~ text ~ ')', pattern_text('[^a-z]+'), "' '"),
    pattern_text('([a-z]{3,}?)(?:ing|ed|es|s|e)( |$)'), message_stem()
  ) }})
{%- endmacro %}

{% macro message_stem() %}{{ return(spelled('message_stem')()) }}{% endmacro %}

{% macro duckdb__message_stem() -%} '\1\2' {%- endmacro %}

{% macro spark__message_stem() -%} '$1$2' {%- endmacro %}
