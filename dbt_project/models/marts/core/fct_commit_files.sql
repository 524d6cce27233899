with files as (
    select * from {{ ref('int_categories__files') }}
),

bonuses as (
    select * from {{ ref('int_points__file_bonus') }}
),

architecture as (
    select * from {{ ref('int_architecture__factors') }}
),

factored as (
    select
        files.*,
        coalesce(bonuses.file_bonus_micro, 0) as file_bonus_micro,
        coalesce(architecture.architecture_factor_micro, 1000000) as architecture_factor_micro,
        -- Only a resolved issue of type Bug raises it, and no tracker is connected.
        1000000 as multiplier_micro,
        files.counted_line_points_micro + files.counted_removed_points_micro
        + coalesce(bonuses.file_bonus_micro, 0) as own_points_micro
    from files
    left join bonuses on files.commit_sha = bonuses.commit_sha and files.path = bonuses.path
    left join architecture
        on
            files.repository_id = architecture.repository_id
            and files.original_path = architecture.original_path
            and cast(date_trunc('month', files.delivered_on) as date) = architecture.month
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
    copied_from,
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
    {{ rounded_ratio(wide('counted_taken_back_points_micro') ~ ' * role_factor_micro', '1000000') }}
        as taken_back_points_micro,
    {{ rounded_ratio(
        wide('own_points_micro') ~ ' * role_factor_micro',
        var('points_per_effort') * 1000000
    ) }} as effort_micro,
    {{ rounded_ratio(
        wide('own_points_micro') ~ ' * role_factor_micro * architecture_factor_micro * multiplier_micro',
        wide(var('points_per_effort')) ~ ' * 1000000000000000000'
    ) }} as etv_micro
from factored
