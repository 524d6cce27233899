-- Every file of every delivered commit: what the commit changed in it, and what of that was delivered.

with changes as (
    select * from {{ ref('stg_git__file_changes') }}
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

points as (
    select * from {{ ref('int_points__files') }}
),

origins as (
    select * from {{ ref('int_files__origins') }}
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
        coalesce(points.status, changed.status) as status,
        coalesce(changed.status, points.status) as commit_status,
        coalesce(points.language, changed.language) as language,
        coalesce(points.role, changed.role) as role,
        coalesce(points.is_binary, changed.is_binary) as is_binary,
        coalesce(points.is_generated, changed.is_generated) as is_generated,
        coalesce(points.is_vendored, changed.is_vendored) as is_vendored,
        coalesce(points.is_minified, changed.is_minified) as is_minified,
        points.copied_from,
        coalesce(changed.lines_added, 0) as lines_added,
        coalesce(changed.lines_deleted, 0) as lines_deleted,
        coalesce(changed.code_added + changed.code_deleted, 0) as changed_code_lines,
        coalesce(changed.comment_added + changed.comment_deleted, 0) as changed_comment_lines,
        coalesce(points.line_points_micro, 0) as line_points_micro,
        coalesce(points.removed_points_micro, 0) as removed_points_micro,
        coalesce(points.taken_back_points_micro, 0) as taken_back_points_micro,
        {% for count in [
            'delivered', 'novel', 'substituted', 'comment', 'returned', 'moved', 'copied', 'layout', 'removed',
            'removed_full', 'taken_back'
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
