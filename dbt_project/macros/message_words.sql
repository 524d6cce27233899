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

{#-
  A body without words that say nothing of this change: comments, unchecked boxes and questions of a template, quoted
  text, titles of other commits, and trailers. A checked box stays.
-#}
{% macro message_without_templates(body) -%}
  {{ replaced(body, pattern_text([
    '<!--[\\s\\S]*?(?:-->|$)',
    '(?:^|\\n)[ \\t]*(?:[-*+]|[0-9]+[.)])[ \\t]+\\\\?\\[ ?\\\\?\\][^\\n]*',
    '(?:^|\\n)[ \\t]*(?:[-*+][ \\t]+)?[☐⬜][^\\n]*',
    '(?:^|\\n)\\|[^|\\n]*\\?[ \\t]*\\|[ \\t]*(?:[Nn]o|[Yy]es/[Nn]o)[ \\t]*\\|[^\\n]*',
    '(?:(?:^|\\n)[ \\t*-]*/kind [a-z-]+[ \\t\\r]*){3,}',
    '(?:^|\\n)[^\\n]*\\b[Ww]hat (?:kind|type|sort) of (?:change|PR|pull request)[^\\n]*',
    '(?:^|\\n)[ \\t]*>[^\\n]*',
    '\\b[Rr]evert(?:s|ed|ing)? "[^"\\n]*"',
    '\\b[Rr]everts commit [0-9a-f]{7,40}[^\\n]*',
    '\\b[0-9a-f]{7,40},? \\("[^"\\n]*"\\)',
    '(?:git-svn-id|[A-Za-z]+(?:-[A-Za-z]+)*-[Bb]y|Change-Id|Message-Id|PiperOrigin-RevId):[^\\n]*',
  ] | join('|')), "' '") }}
{%- endmacro %}
