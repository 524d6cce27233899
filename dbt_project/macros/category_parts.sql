{#-
  File changes (rows of fct_commit_files) by category. Lines inside tests of a source file count for tests, and the rest
  for the category of the file. The measures of a file are the sums of its parts, and the file itself counts with its rest.
-#}
{% macro category_parts() -%}
{% set measures = ['points_micro', 'effort_micro', 'etv_micro', 'taken_back_points_micro', 'lines_added', 'lines_deleted'] -%}
select
    commit_sha,
    category,
    category_method,
    category_confidence,
    {% for measure in measures -%}
    {{ measure }} - inline_tests_{{ measure }} as {{ measure }},
    {% endfor -%}
    case when zero_reason is null then 1 else 0 end as files
from {{ ref('fct_commit_files') }}
union all
select
    commit_sha,
    'tests' as category,
    'content' as category_method,
    {{ var('category_content_confidence') }} as category_confidence,
    {% for measure in measures -%}
    inline_tests_{{ measure }} as {{ measure }},
    {% endfor -%}
    0 as files
from {{ ref('fct_commit_files') }}
where inline_tests_points_micro + inline_tests_lines_added + inline_tests_lines_deleted > 0
{%- endmacro %}
