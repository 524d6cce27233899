{#-
  Lines that a commit adds to a file (a row of fct_commit_files). For a merge only the lines that it adds itself are
  new. Git compares a merge with its first parent and finds all lines of the other side.
-#}
{% macro new_lines(file, is_merge) -%}
  case
    when {{ is_merge }}
      then
        {{ delivered_lines(file) }}
    else {{ file }}.lines_added
  end
{%- endmacro %}

{#- Lines that a delivery adds to a file (a row of fct_commit_files), of any class. -#}
{% macro delivered_lines(file) -%}
  {{ file }}.novel_lines + {{ file }}.substituted_lines + {{ file }}.comment_lines + {{ file }}.returned_lines
  + {{ file }}.moved_lines + {{ file }}.copied_lines + {{ file }}.layout_lines
{%- endmacro %}
