with files as (
    select * from {{ ref('fct_commit_files') }}
)

select
    commit_id,
    repository_id,
    delivery_sha,
    path,
    previous_path,
    status,
    language,
    role,
    zero_reason,
    category,
    category_method,
    category_confidence,
    category_evidence,
    line_points_micro,
    file_bonus_micro,
    removed_points_micro,
    role_factor_micro,
    points_micro,
    effort_micro,
    multiplier_micro,
    etv_micro,
    inline_tests_points_micro,
    inline_tests_effort_micro,
    inline_tests_etv_micro,
    machine_evidence,
    copied_from,
    line_classes,
    '{{ var("calculation_version") }}' as calculation_version
from files
