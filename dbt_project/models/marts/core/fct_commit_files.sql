with counted as (
    select * from {{ ref('int_points__counted') }}
),

bonuses as (
    select * from {{ ref('int_points__file_bonus') }}
),

architecture as (
    select * from {{ ref('int_architecture__factors') }}
),

categories as (
    select * from {{ ref('int_categories__files') }}
),

factored as (
    select
        counted.*,
        coalesce(bonuses.file_bonus_micro, 0) as file_bonus_micro,
        coalesce(architecture.architecture_factor_micro, 1000000) as architecture_factor_micro,
        -- Only a resolved issue of type Bug raises it, and no tracker is connected.
        1000000 as multiplier_micro,
        categories.category,
        categories.category_method,
        categories.category_confidence,
        categories.category_evidence,
        counted.counted_line_points_micro + counted.counted_removed_points_micro
        + coalesce(bonuses.file_bonus_micro, 0) as own_points_micro
    from counted
    left join bonuses on counted.commit_sha = bonuses.commit_sha and counted.path = bonuses.path
    left join architecture
        on
            counted.repository_id = architecture.repository_id
            and counted.original_path = architecture.original_path
            and cast(date_trunc('month', counted.delivered_on) as date) = architecture.month
    inner join categories on counted.commit_sha = categories.commit_sha and counted.path = categories.path
)

select
    commit_sha,
    path,
    repository_id,
    delivery_sha,
    delivered_on,
    developer_id,
    previous_path,
    status,
    language,
    role,
    is_in_delivery,
    zero_reason,
    duplicate_of_sha,
    category,
    category_method,
    category_confidence,
    category_evidence,
    lines_added,
    lines_deleted,
    novel_lines,
    substituted_lines,
    comment_lines,
    returned_lines,
    moved_lines,
    copied_lines,
    layout_lines,
    removed_lines,
    taken_back_lines,
    counted_line_points_micro as line_points_micro,
    file_bonus_micro,
    counted_removed_points_micro as removed_points_micro,
    role_factor_micro,
    architecture_factor_micro,
    multiplier_micro,
    {{ rounded_ratio(wide('own_points_micro') ~ ' * role_factor_micro', '1000000') }} as points_micro,
    {{ rounded_ratio(
        wide('own_points_micro') ~ ' * role_factor_micro',
        var('points_per_effort') * 1000000
    ) }} as effort_micro,
    {{ rounded_ratio(
        wide('own_points_micro') ~ ' * role_factor_micro * architecture_factor_micro * multiplier_micro',
        wide(var('points_per_effort')) ~ ' * 1000000000000000000'
    ) }} as etv_micro
from factored
