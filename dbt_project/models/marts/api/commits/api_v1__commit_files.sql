{{ config(materialized='view') }}
-- A view, because it has the rows of fct_commit_files. Writing five million of them again took as long as computing
-- them. Without the name of the database, so that it can be read under whatever name the file is attached.

with files as (
    select * from {{ ref('fct_commit_files').include(database=false) }}
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
    copied_from,
    line_classes,
    '{{ var("calculation_version") }}' as calculation_version
from files
