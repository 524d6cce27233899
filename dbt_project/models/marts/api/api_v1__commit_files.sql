with files as (
    select * from {{ ref('fct_line_classes') }}
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
)

select
    commits.commit_id,
    files.repository_id,
    files.delivery_sha,
    files.path,
    files.previous_path,
    files.status,
    files.language,
    files.role,
    files.zero_reason,
    files.category,
    files.category_method,
    files.category_confidence,
    files.category_evidence,
    files.line_points_micro,
    files.file_bonus_micro,
    files.removed_points_micro,
    files.role_factor_micro,
    files.points_micro,
    files.effort_micro,
    files.architecture_factor_micro,
    cast(files.multiplier_micro as bigint) as multiplier_micro,
    files.etv_micro,
    files.copied_from,
    files.line_classes,
    '{{ var("calculation_version") }}' as calculation_version
from files
inner join commits on files.commit_sha = commits.commit_sha
