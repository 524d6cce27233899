-- Sums that commits and their credits share: five million file changes are summed up once.

with files as (
    select * from {{ ref('fct_commit_files') }}
)

select
    commit_sha,
    category,
    count(*) as files,
    count(case when zero_reason is null then 1 end) as counted_files,
    count(case when zero_reason = 'DUPLICATE' then 1 end) as duplicate_files,
    max(duplicate_of_sha) as duplicate_of_sha,
    min(copied_from) as copied_from,
    max(category_confidence) as category_confidence,
    min(category_method) as category_method,
    {% for measure in [
        'points_micro', 'taken_back_points_micro', 'effort_micro', 'etv_micro', 'novel_lines', 'substituted_lines',
        'comment_lines', 'returned_lines', 'moved_lines', 'copied_lines', 'layout_lines', 'removed_lines',
        'taken_back_lines', 'lines_added', 'lines_deleted'
    ] -%}
    cast(sum({{ measure }}) as bigint) as {{ measure }}{{ ',' if not loop.last }}
    {% endfor %}
from files
group by commit_sha, category
