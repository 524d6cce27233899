-- Lines by class are in the same rows: writing the texts of five million rows twice takes longer than all joins.

with changes as (
    select * from {{ ref('int_points__file_rules') }}
),

excluded as (
    select * from {{ ref('int_exclusions__commits') }}
    where zero_reason is not null
),

roles as (
    select * from {{ ref('role_factors') }}
),

commits as (
    select * from {{ ref('int_categories__commits') }}
),

line_classes as (
    select * from {{ ref('int_points__line_classes') }}
),

multipliers as (
    select * from {{ ref('int_alignment__multipliers') }}
),

-- The reason of a whole commit comes before those of its files.
ruled as (
    select
        changes.*,
        coalesce(excluded.zero_reason, changes.file_rule) as rule
    from changes
    left join excluded on changes.commit_sha = excluded.commit_sha
),

counted as (
    select
        *,
        case
            when rule is not null then rule
            when line_points_micro + removed_points_micro = 0 then 'NO_COUNTED_LINES'
        end as zero_reason,
        case when rule is null then line_points_micro else 0 end as counted_line_points_micro,
        case when rule is null then removed_points_micro else 0 end as counted_removed_points_micro,
        case when rule is null then taken_back_points_micro else 0 end as counted_taken_back_points_micro,
        case when rule is null then test_taken_back_points_micro else 0 end as counted_test_taken_back_points_micro
    from ruled
),

-- Points for touching an existing file, where a line is new in it: a text that a tool puts into many files touches none.
-- They are the increase of min(limit, own points of the trailing window) by each commit.
-- Apart from the files below, so that only these few columns are sorted.
own as (
    select
        changes.commit_sha,
        changes.path,
        changes.repository_id,
        changes.original_path,
        changes.developer_id,
        changes.delivered_micros,
        changes.delivery_number,
        changes.commit_number,
        changes.line_points_micro + changes.removed_points_micro as own_points_micro
    from {{ ref('int_points__file_rules') }} as changes
    left join excluded on changes.commit_sha = excluded.commit_sha
    where
        changes.file_rule is null
        and excluded.commit_sha is null
        and changes.line_points_micro > 0
        and changes.novel_lines > 0
        and changes.status <> 'A'
        and changes.role_factor_micro > 0
),

-- The window contains all rows of the same instant, so later rows of that instant are subtracted.
windows as (
    select
        *,
        sum(own_points_micro) over (
            partition by developer_id, repository_id, original_path
            order by delivered_micros
            range between {{ window_micros() }} preceding and current row
        ) as window_points_micro,
        sum(own_points_micro) over (
            partition by developer_id, repository_id, original_path, delivered_micros
            order by delivery_number desc, commit_number desc, path desc
            rows between unbounded preceding and current row
        ) as own_and_later_points_micro
    from own
),

earned as (
    select
        commit_sha,
        path,
        own_points_micro,
        window_points_micro - own_and_later_points_micro as earlier_points_micro
    from windows
),

bonuses as (
    select
        commit_sha,
        path,
        cast(
            least({{ var('file_bonus_max_micro') }}, earlier_points_micro + own_points_micro)
            - least({{ var('file_bonus_max_micro') }}, earlier_points_micro) as bigint
        ) as file_bonus_micro
    from earned
    where earlier_points_micro < {{ var('file_bonus_max_micro') }}
),

-- The category of a file change comes from a decision of people, else from path and content, else from the commit.
judged as (
    select
        files.*,
        roles.category as role_category,
        commits.category as commit_category,
        commits.decided_category,
        commits.method as commit_method,
        commits.confidence as commit_confidence,
        commits.evidence as commit_evidence,
        case
            when commits.decided_category is not null then 'decided'
            when roles.category is not null then 'role'
            when files.is_generated or files.is_vendored or files.is_minified then 'not_written_here'
            when
                files.novel_lines + files.substituted_lines + files.removed_lines + files.changed_code_lines = 0
                and files.comment_lines + files.changed_comment_lines > 0
                then 'comments_only'
            when files.status = 'R' and files.novel_lines + files.removed_lines = 0 then 'renamed_file'
            when files.substituted_lines > 0 and files.novel_lines = 0 then 'renamed_names'
            when
                files.novel_test_lines > 0
                and files.novel_test_lines = files.novel_lines
                and files.removed_lines = files.removed_full_test_lines + files.removed_rest_test_lines
                then 'inline_tests'
            when
                files.is_in_delivery
                and files.delivered_lines > 0
                and files.delivered_lines = files.layout_lines + files.moved_lines
                and files.removed_lines = 0
                then 'formatting'
            else 'intent'
        end as category_rule
    from counted as files
    left join roles on files.role = roles.role
    left join commits on files.commit_sha = commits.commit_sha
),

files as (
    select
        judged.*,
        case category_rule
            when 'decided' then decided_category
            when 'role' then role_category
            when 'comments_only' then 'documentation'
            when 'inline_tests' then 'tests'
            when 'intent' then coalesce(commit_category, 'maintenance')
            else 'maintenance'
        end as category,
        case category_rule
            when 'decided' then 'decided'
            when 'role' then 'path'
            when 'intent' then coalesce(commit_method, 'default')
            else 'content'
        end as category_method,
        case category_rule
            when 'decided' then 1.0
            when 'intent' then coalesce(commit_confidence, 0.5)
            when 'role' then 0.98
            else {{ var('category_content_confidence') }}
        end as category_confidence,
        case category_rule
            when 'role' then role
            when 'intent' then coalesce(commit_evidence, 'nothing tells')
            else category_rule
        end as category_evidence
    from judged
),

{% set removed = "cast(" ~ var('removal_weight_micro') ~ " as bigint)" -%}
{% set rest = "cast(" ~ var('removal_rest_weight_micro') ~ " as bigint)" -%}
{% set rest_lines = "(files.removed_lines - files.removed_full_lines - files.removed_rest_test_lines)" -%}
factored as (
    select
        files.*,
        {{ appended('line_classes.entries', 'case when files.removed_lines > 0 then ' ~ chosen(array_of([
            struct_of({
                'kind': line_kind("'removed'", "'removed'", '0', '1', '3', 'false'),
                'lines': '(files.removed_full_lines - files.removed_full_test_lines)',
                'weight_micro': removed,
                'points_micro': '(files.removed_full_lines - files.removed_full_test_lines) * ' ~ removed,
            }),
            struct_of({
                'kind': line_kind("'removed'", "'removed'", '0', '1', '4', 'false'),
                'lines': rest_lines,
                'weight_micro': rest,
                'points_micro': rest_lines ~ ' * ' ~ rest,
            }),
            struct_of({
                'kind': line_kind("'removed'", "'removed'", '0', '1', '3', 'true'),
                'lines': 'files.removed_full_test_lines',
                'weight_micro': 'files.removed_test_weight_micro',
                'points_micro': 'files.removed_full_test_lines * files.removed_test_weight_micro',
            }),
            struct_of({
                'kind': line_kind("'removed'", "'removed'", '0', '1', '4', 'true'),
                'lines': 'files.removed_rest_test_lines',
                'weight_micro': 'files.removed_test_rest_weight_micro',
                'points_micro': 'files.removed_rest_test_lines * files.removed_test_rest_weight_micro',
            }),
        ]), 'entry', 'entry.lines > 0') ~ ' end') }} as entries,
        coalesce(bonuses.file_bonus_micro, 0) as file_bonus_micro,
        -- Only a resolved issue of type Bug raises it.
        cast(
            case when files.category = 'fixes' then coalesce(multipliers.multiplier_micro, 1000000) else 1000000 end
            as bigint
        ) as multiplier_micro,
        files.counted_line_points_micro + files.counted_removed_points_micro
        + coalesce(bonuses.file_bonus_micro, 0) as own_points_micro,
        -- Tests inside a file that has the category of its commit.
        files.category_rule = 'intent' as has_parts
    from files
    left join line_classes on files.commit_sha = line_classes.commit_sha and files.path = line_classes.path
    left join bonuses on files.commit_sha = bonuses.commit_sha and files.path = bonuses.path
    left join multipliers on files.commit_sha = multipliers.commit_sha and files.path = multipliers.path
),

scored as (
    select
        *,
        {{ rounded_ratio(wide('own_points_micro') ~ ' * role_factor_micro', '1000000') }} as points_micro,
        {{ rounded_ratio(wide('counted_taken_back_points_micro') ~ ' * role_factor_micro', '1000000') }}
            as taken_back_points_role_micro,
        {{ rounded_ratio(
            wide('own_points_micro') ~ ' * role_factor_micro',
            var('points_per_effort') * 1000000
        ) }} as effort_micro,
        {{ rounded_ratio(
            wide('own_points_micro') ~ ' * role_factor_micro * multiplier_micro',
            wide(var('points_per_effort')) ~ ' * 1000000000000'
        ) }} as etv_micro,
        counted_line_points_micro + counted_removed_points_micro as counted_points_micro,
        case
            when has_parts and rule is null
                then
                    test_line_points_micro
                    + removed_full_test_lines * coalesce(removed_test_weight_micro, 0)
                    + removed_rest_test_lines * coalesce(removed_test_rest_weight_micro, 0)
            else 0
        end as counted_test_points_micro
    from factored
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
    coalesce(machine_evidence, foreign_sign) as machine_evidence,
    copied_from,
    lines_added,
    lines_deleted,
    novel_lines,
    weighing_novel_lines,
    substituted_lines,
    comment_lines,
    returned_lines,
    moved_lines,
    copied_lines,
    layout_lines,
    test_lines,
    removed_lines,
    taken_back_lines,
    counted_line_points_micro as line_points_micro,
    file_bonus_micro,
    counted_removed_points_micro as removed_points_micro,
    role_factor_micro,
    multiplier_micro,
    points_micro,
    taken_back_points_role_micro as taken_back_points_micro,
    effort_micro,
    etv_micro,
    -- The bonus and the multiplier of the file are the tests' in proportion to their points.
    {% for measure in ['points', 'effort', 'etv'] -%}
    cast(
        case
            when counted_test_points_micro > 0
                then {{ wide_ratio(wide(measure ~ '_micro') ~ ' * counted_test_points_micro', 'counted_points_micro') }}
            else 0
        end as bigint
    ) as inline_tests_{{ measure }}_micro,
    {% endfor -%}
    cast(case when has_parts then counted_test_taken_back_points_micro else 0 end as bigint)
        as inline_tests_taken_back_points_micro,
    cast(case when has_parts then least(test_lines, lines_added) else 0 end as bigint) as inline_tests_lines_added,
    cast(
        case when has_parts then least(removed_full_test_lines + removed_rest_test_lines, lines_deleted) else 0 end
        as bigint
    ) as inline_tests_lines_deleted,
    {#- If a rule leaves the file out, its lines have no points, so that the sums stay right. #}
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
from scored
