-- Lines by class stand in the same rows: to write the texts of five million rows twice takes longer than all its joins.

with files as (
    select * from {{ ref('int_categories__files') }}
),

line_classes as (
    select * from {{ ref('int_points__line_classes') }}
),

bonuses as (
    select * from {{ ref('int_points__file_bonus') }}
),

{% set removed = "cast(" ~ var('removal_weight_micro') ~ " as bigint)" -%}
{% set rest = "cast(" ~ var('removal_rest_weight_micro') ~ " as bigint)" -%}
factored as (
    select
        files.*,
        {{ appended('line_classes.entries', 'case when files.removed_lines > 0 then ' ~ chosen(array_of([
            struct_of({
                'kind': line_kind("'removed'", "'removed'", '0', '1', '3'),
                'lines': 'files.removed_full_lines',
                'weight_micro': removed,
                'points_micro': 'files.removed_full_lines * ' ~ removed,
            }),
            struct_of({
                'kind': line_kind("'removed'", "'removed'", '0', '1', '4'),
                'lines': '(files.removed_lines - files.removed_full_lines)',
                'weight_micro': rest,
                'points_micro': '(files.removed_lines - files.removed_full_lines) * ' ~ rest,
            }),
        ]), 'entry', 'entry.lines > 0') ~ ' end') }} as entries,
        coalesce(bonuses.file_bonus_micro, 0) as file_bonus_micro,
        -- Only a resolved issue of type Bug raises it, and no tracker is connected.
        cast(1000000 as bigint) as multiplier_micro,
        files.counted_line_points_micro + files.counted_removed_points_micro
        + coalesce(bonuses.file_bonus_micro, 0) as own_points_micro
    from files
    left join line_classes on files.commit_sha = line_classes.commit_sha and files.path = line_classes.path
    left join bonuses on files.commit_sha = bonuses.commit_sha and files.path = bonuses.path
)

select
    commit_id,
    commit_sha,
    path,
    repository_id,
    delivery_sha,
    previous_path,
    status,
    language,
    role,
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
    multiplier_micro,
    {{ rounded_ratio(wide('own_points_micro') ~ ' * role_factor_micro', '1000000') }} as points_micro,
    {{ rounded_ratio(wide('counted_taken_back_points_micro') ~ ' * role_factor_micro', '1000000') }}
        as taken_back_points_micro,
    {{ rounded_ratio(
        wide('own_points_micro') ~ ' * role_factor_micro',
        var('points_per_effort') * 1000000
    ) }} as effort_micro,
    {{ rounded_ratio(
        wide('own_points_micro') ~ ' * role_factor_micro * multiplier_micro',
        wide(var('points_per_effort')) ~ ' * 1000000000000'
    ) }} as etv_micro,
    {#- Where a rule zeroes the file its lines are shown without points, so that they add up all the same. #}
    case
        when {{ size_of('entries') }} = 0 then null
        when coalesce(zero_reason, 'NO_COUNTED_LINES') = 'NO_COUNTED_LINES' then entries
        else {{ mapped('entries', 'entry', struct_of({
            'kind': 'entry.kind',
            'lines': 'entry.lines',
            'weight_micro': 'entry.weight_micro',
            'points_micro': 'cast(0 as bigint)',
        })) }}
    end as line_classes
from factored
