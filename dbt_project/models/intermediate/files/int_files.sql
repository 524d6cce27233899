-- Every file of every delivered commit: what the commit changed in it, and what of that was delivered.

with changes as (
    select * from {{ ref('stg_git__file_changes') }}
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

origins as (
    select * from {{ ref('int_files__origins') }}
),

delivered as (
    select * from {{ ref('int_points__delivered_lines') }}
),

lines as (
    {{ weighed_lines('delivered') | indent(4) }}
),

taken_back as (
    select
        commit_sha,
        path,
        sum(lines) as lines,
        sum(points_micro) as points_micro,
        sum(case when in_test then points_micro else 0 end) as test_points_micro
    from {{ ref('int_points__taken_back') }}
    group by commit_sha, path
),

removals as (
    select * from {{ ref('int_points__removals') }}
),

added as (
    select
        commit_sha,
        path,
        max(previous_path) as previous_path,
        max(status) as status,
        max(language) as language,
        max(role) as role,
        bool_or(is_binary) as is_binary,
        bool_or(is_generated) as is_generated,
        bool_or(is_vendored) as is_vendored,
        bool_or(is_minified) as is_minified,
        min(copied_from) as copied_from,
        sum(lines * weight_micro) as points_micro,
        sum(case when in_test then lines * weight_micro else 0 end) as test_points_micro,
        sum(lines) as lines,
        {% for class in ['novel', 'substituted', 'comment', 'returned', 'moved', 'copied', 'layout'] -%}
        sum(case when class = '{{ class }}' then lines else 0 end) as {{ class }}_lines,
        {% endfor -%}
        sum(case when class = 'novel' and weight_micro > 0 then lines else 0 end) as weighing_novel_lines,
        sum(case when in_test then lines else 0 end) as test_lines,
        sum(case when in_test and class = 'novel' then lines else 0 end) as novel_test_lines
    from lines
    group by commit_sha, path
),

-- Points of the lines that were delivered, before factors and the rules that zero a change.
points as (
    select
        coalesce(added.commit_sha, removals.commit_sha) as commit_sha,
        coalesce(added.path, removals.path) as path,
        added.previous_path,
        -- Null where lines only went: whether the whole file went with them, the commit tells.
        added.status,
        coalesce(added.language, removals.language) as language,
        coalesce(added.role, removals.role) as role,
        coalesce(added.is_binary, false) as is_binary,
        coalesce(added.is_generated, false) as is_generated,
        coalesce(added.is_vendored, false) as is_vendored,
        coalesce(added.is_minified, false) as is_minified,
        added.copied_from,
        cast(coalesce(added.points_micro, 0) - coalesce(taken_back.points_micro, 0) as bigint) as line_points_micro,
        cast(coalesce(removals.points_micro, 0) as bigint) as removed_points_micro,
        cast(coalesce(taken_back.points_micro, 0) as bigint) as taken_back_points_micro,
        cast(coalesce(added.test_points_micro, 0) - coalesce(taken_back.test_points_micro, 0) as bigint)
            as test_line_points_micro,
        cast(coalesce(taken_back.test_points_micro, 0) as bigint) as test_taken_back_points_micro,
        cast(coalesce(added.lines, 0) as bigint) as delivered_lines,
        cast(coalesce(added.weighing_novel_lines, 0) as bigint) as weighing_novel_lines,
        {% for class in ['novel', 'substituted', 'comment', 'returned', 'moved', 'copied', 'layout'] -%}
        cast(coalesce(added.{{ class }}_lines, 0) as bigint) as {{ class }}_lines,
        {% endfor -%}
        cast(coalesce(added.test_lines, 0) as bigint) as test_lines,
        cast(coalesce(added.novel_test_lines, 0) as bigint) as novel_test_lines,
        cast(coalesce(removals.full_lines + removals.rest_lines, 0) as bigint) as removed_lines,
        cast(coalesce(removals.full_lines, 0) as bigint) as removed_full_lines,
        cast(coalesce(removals.full_test_lines, 0) as bigint) as removed_full_test_lines,
        cast(coalesce(removals.rest_test_lines, 0) as bigint) as removed_rest_test_lines,
        removals.test_weight_micro as removed_test_weight_micro,
        removals.test_rest_weight_micro as removed_test_rest_weight_micro,
        cast(coalesce(taken_back.lines, 0) as bigint) as taken_back_lines
    from added
    left join taken_back on added.commit_sha = taken_back.commit_sha and added.path = taken_back.path
    full outer join removals on added.commit_sha = removals.commit_sha and added.path = removals.path
),

changed as (
    select changes.*
    from changes
    inner join commits
        on changes.commit_sha = commits.commit_sha and changes.repository_id = commits.repository_id
),

merged as (
    select
        coalesce(points.commit_sha, changed.commit_sha) as commit_sha,
        coalesce(points.path, changed.path) as path,
        points.commit_sha is not null as is_in_delivery,
        coalesce(points.previous_path, changed.previous_path) as previous_path,
        coalesce(
            points.status,
            case when points.commit_sha is null or changed.status = 'D' then changed.status end,
            'M'
        ) as status,
        coalesce(changed.status, points.status, 'M') as commit_status,
        coalesce(points.language, changed.language) as language,
        coalesce(points.role, changed.role) as role,
        coalesce(points.is_binary, changed.is_binary) as is_binary,
        coalesce(points.is_generated, changed.is_generated) as is_generated,
        coalesce(points.is_vendored, changed.is_vendored) as is_vendored,
        coalesce(points.is_minified, changed.is_minified) as is_minified,
        changed.machine_evidence,
        points.copied_from,
        points.removed_test_weight_micro,
        points.removed_test_rest_weight_micro,
        coalesce(changed.lines_added, 0) as lines_added,
        coalesce(changed.lines_deleted, 0) as lines_deleted,
        coalesce(changed.code_added + changed.code_deleted, 0) as changed_code_lines,
        coalesce(changed.comment_added + changed.comment_deleted, 0) as changed_comment_lines,
        coalesce(points.line_points_micro, 0) as line_points_micro,
        coalesce(points.removed_points_micro, 0) as removed_points_micro,
        coalesce(points.taken_back_points_micro, 0) as taken_back_points_micro,
        coalesce(points.test_line_points_micro, 0) as test_line_points_micro,
        coalesce(points.test_taken_back_points_micro, 0) as test_taken_back_points_micro,
        {% for count in [
            'delivered', 'weighing_novel', 'novel', 'substituted', 'comment', 'returned', 'moved', 'copied', 'layout',
            'test', 'novel_test', 'removed', 'removed_full', 'removed_full_test', 'removed_rest_test', 'taken_back'
        ] -%}
        coalesce(points.{{ count }}_lines, 0) as {{ count }}_lines{{ ',' if not loop.last }}
        {% endfor %}
    from changed
    full outer join points on changed.commit_sha = points.commit_sha and changed.path = points.path
)

select
    merged.*,
    commits.repository_id,
    commits.delivery_number,
    commits.delivered_on,
    coalesce(origins.original_path, merged.path) as original_path
from merged
inner join commits on merged.commit_sha = commits.commit_sha
left join origins
    on
        commits.repository_id = origins.repository_id
        and merged.path = origins.path
        and commits.delivery_number >= origins.from_delivery
        and commits.delivery_number < origins.before_delivery
