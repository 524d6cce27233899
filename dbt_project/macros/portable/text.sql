{#- Patterns are RE2's and Java's common ground: no lookaround, no possessive repetition. -#}

{#- True where a part of the text matches. `pattern` is an SQL expression: a column, or `pattern_text(…)`. -#}
{% macro matches(text, pattern) %}{{ return(spelled('matches')(text, pattern)) }}{% endmacro %}

{% macro duckdb__matches(text, pattern) -%} regexp_matches({{ text }}, {{ pattern }}) {%- endmacro %}

{% macro spark__matches(text, pattern) -%} regexp_like({{ text }}, {{ pattern }}) {%- endmacro %}

{#-
  True where a text contains `part` and matches `pattern`. `lowered` is the text in lower case if `part` is in lower case.
  The pattern is tried only where the part was found, because compiling it for every text takes minutes.
-#}
{% macro contains_and_matches(text, part, pattern, lowered=none) -%}
  case
    when position({{ part }} in {{ lowered or text }}) > 0 then {{ matches(text, pattern) }}
    else false
  end
{%- endmacro %}

{#- The first match's group, empty without a match. -#}
{% macro first_match(text, pattern, group=0) %}{{ return(spelled('first_match')(text, pattern, group)) }}{% endmacro %}

{% macro duckdb__first_match(text, pattern, group) -%} regexp_extract({{ text }}, {{ pattern }}, {{ group }}) {%- endmacro %}

{% macro spark__first_match(text, pattern, group) -%} regexp_extract({{ text }}, {{ pattern }}, {{ group }}) {%- endmacro %}

{#- Every match replaced. -#}
{% macro replaced(text, pattern, replacement) %}{{ return(spelled('replaced')(text, pattern, replacement)) }}{% endmacro %}

{% macro duckdb__replaced(text, pattern, replacement) -%}
  regexp_replace({{ text }}, {{ pattern }}, {{ replacement }}, 'g')
{%- endmacro %}

{% macro spark__replaced(text, pattern, replacement) -%}
  regexp_replace({{ text }}, {{ pattern }}, {{ replacement }})
{%- endmacro %}

{#- How often a part stands in a text. -#}
{% macro occurrences(text, part) -%}
  {{ whole_ratio('length(' ~ text ~ ') - length(replace(' ~ text ~ ', ' ~ part ~ ", ''))", 'length(' ~ part ~ ')') }}
{%- endmacro %}

{#- A pattern as an SQL literal. -#}
{% macro pattern_text(pattern) %}{{ return(spelled('pattern_text')(pattern)) }}{% endmacro %}

{% macro duckdb__pattern_text(pattern) -%} '{{ pattern | replace("'", "''") }}' {%- endmacro %}

{% macro spark__pattern_text(pattern) -%} '{{ pattern | replace("\\", "\\\\") | replace("'", "\\'") }}' {%- endmacro %}

{#- The text cut at every single space. -#}
{% macro words_of(text) %}{{ return(spelled('words_of')(text)) }}{% endmacro %}

{% macro duckdb__words_of(text) -%} string_split({{ text }}, ' ') {%- endmacro %}

{% macro spark__words_of(text) -%} split({{ text }}, ' ') {%- endmacro %}

{#- The text cut at every line feed. -#}
{% macro lines_of(text) %}{{ return(spelled('lines_of')(text)) }}{% endmacro %}

{% macro duckdb__lines_of(text) -%} string_split({{ text }}, chr(10)) {%- endmacro %}

{% macro spark__lines_of(text) -%} split({{ text }}, '\\n') {%- endmacro %}

{#- Letters without their accents. -#}
{% macro unaccented(text) %}{{ return(spelled('unaccented')(text)) }}{% endmacro %}

{% macro duckdb__unaccented(text) -%} strip_accents({{ text }}) {%- endmacro %}

{% macro spark__unaccented(text) -%}
  translate(
    {{ text }},
    'ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöùúûüýÿāăąćčďēėęěğīįńňōőřśşšťūůűųźżž',
    'AAAAAACEEEEIIIINOOOOOUUUUYaaaaaaceeeeiiiinooooouuuuyyaaaccdeeeegiinnoorsssstuuuuzzz'
  )
{%- endmacro %}
