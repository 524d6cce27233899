{#-
  The kind of an entry of lines as one number: class, class at first delivery, tokens, rank, note, and whether the lines
  are in a test of a source file. The number takes
  an eighth of the memory of its texts and is the same in every engine.
-#}
{% macro line_kind(class, original_class, tokens, rank, note, in_test) -%}
  cast(
    case when {{ in_test }} then 10000000 else 0 end + {{ position_in(line_classes(), class) }} * 1000000 + {{ position_in(line_classes(), original_class) }} * 100000
    + {{ tokens }} * 1000 + {{ rank }} * 10 + {{ note }} as integer
  )
{%- endmacro %}

{% macro class_of_kind(kind) -%} {{ element_of(line_classes(), whole_ratio(kind ~ ' % 10000000', '1000000')) }} {%- endmacro %}

{% macro original_class_of_kind(kind) -%}
  {{ element_of(line_classes(), whole_ratio(kind ~ ' % 1000000', '100000')) }}
{%- endmacro %}

{% macro tokens_of_kind(kind) -%} cast({{ whole_ratio(kind ~ ' % 100000', '1000') }} as integer) {%- endmacro %}

{% macro rank_of_kind(kind) -%} cast({{ whole_ratio(kind ~ ' % 1000', '10') }} as integer) {%- endmacro %}

{#- Null for the note number 0 outside tests: such lines need no explanation. -#}
{% macro note_of_kind(kind) -%}
  nullif(
    concat_ws(
      '; ',
      case when {{ kind }} >= 10000000 then 'inside a test of a source file, with the factor of tests' end,
      {{ element_of(array_of([
        "'credit that a removal had taken back is given again'",
        "'the author removed these lines again within two weeks'",
        "'old lines taken out, in full'",
        "'old lines taken out beyond the first ten of a file or hundred of a delivery'",
      ]), 'nullif(' ~ kind ~ ' % 10, 0)') }}
    ), ''
  )
{%- endmacro %}

{#- At most nine, the most common first, because a class is found by trying each. -#}
{% macro line_classes() -%}
  {{ array_of([
    "'novel'", "'layout'", "'comment'", "'moved'", "'copied'", "'substituted'", "'returned'", "'removed'", "'taken_back'"
  ]) }}
{%- endmacro %}
