{#- The words of a text in lower case with their commonest endings cut off, separated by single spaces. -#}
{% macro message_words(text) -%}
  trim({{ replaced(
    'lower(' ~ replaced(text, pattern_text('[^A-Za-z]+'), "' '") ~ ')',
    pattern_text('([a-z]{3,}?)(?:ing|ed|es|s|e)( |$)'), message_stem()
  ) }})
{%- endmacro %}

{% macro message_stem() %}{{ return(spelled('message_stem')()) }}{% endmacro %}

{% macro duckdb__message_stem() -%} '\1\2' {%- endmacro %}

{% macro spark__message_stem() -%} '$1$2' {%- endmacro %}

{#- A subject without the parts before its verb: marks, keys of a tracker, one part of the code ("net/tcp: "). -#}
{% macro message_from_verb(subject) -%}
  {{ replaced(
    subject,
    pattern_text('^[^A-Za-z]*(?:[A-Z][A-Z0-9]+-[0-9]+[^A-Za-z]*)*(?:[A-Za-z0-9_./,*()\\[\\]-]{1,40}: +)?'),
    "''"
  ) }}
{%- endmacro %}

{#- A body without lines of people ("Reviewed-by: …") and of imports from Subversion. -#}
{% macro message_without_trailers(body) -%}
  {{ replaced(body, pattern_text('(?:git-svn-id|[A-Za-z]+(?:-[A-Za-z]+)*-[Bb]y):[^\\n]*'), "' '") }}
{%- endmacro %}
