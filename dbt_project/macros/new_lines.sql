{#-
  Lines that a commit adds to a file (a row of fct_commit_files). Of a merge only its own lines are new: Git compares it with
  its first parent and finds all that the other side brought.
-#}
{% macro new_lines(file, is_merge) -%}
  case
    when {{ is_merge }}
      then
        {{ file }}.novel_lines + {{ file }}.substituted_lines + {{ file }}.comment_lines + {{ file }}.returned_lines
        + {{ file }}.moved_lines + {{ file }}.copied_lines + {{ file }}.layout_lines
    else {{ file }}.lines_added
  end
{%- endmacro %}
