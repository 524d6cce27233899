{{ config(materialized='view') }}
-- Points of lines by commit and delivered file, before factors and the rules that zero a change.

with delivered as (
    select * from {{ ref('int_points__delivered_lines') }}
),

lines as (
    {{ weighed_lines('delivered') | indent(4) }}
),

charges as (
    select
        commit_sha,
        path,
        sum(lines) as lines,
        sum(points_micro) as points_micro
    from {{ ref('int_points__charges') }}
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
        sum(lines) as lines,
        {% for class in ['novel', 'substituted', 'comment', 'returned', 'moved', 'copied', 'layout'] -%}
        sum(case when class = '{{ class }}' then lines else 0 end) as {{ class }}_lines{{ ',' if not loop.last }}
        {% endfor %}
    from lines
    group by commit_sha, path
)

select
    coalesce(added.commit_sha, removals.commit_sha) as commit_sha,
    coalesce(added.path, removals.path) as path,
    added.previous_path,
    coalesce(added.status, 'M') as status,
    coalesce(added.language, removals.language) as language,
    coalesce(added.role, removals.role) as role,
    coalesce(added.is_binary, false) as is_binary,
    coalesce(added.is_generated, false) as is_generated,
    coalesce(added.is_vendored, false) as is_vendored,
    coalesce(added.is_minified, false) as is_minified,
    added.copied_from,
    cast(coalesce(added.points_micro, 0) - coalesce(charges.points_micro, 0) as bigint) as line_points_micro,
    cast(coalesce(removals.points_micro, 0) as bigint) as removed_points_micro,
    cast(coalesce(charges.points_micro, 0) as bigint) as taken_back_points_micro,
    cast(coalesce(added.lines, 0) as bigint) as delivered_lines,
    {% for class in ['novel', 'substituted', 'comment', 'returned', 'moved', 'copied', 'layout'] -%}
    cast(coalesce(added.{{ class }}_lines, 0) as bigint) as {{ class }}_lines,
    {% endfor -%}
    cast(coalesce(removals.full_lines + removals.rest_lines, 0) as bigint) as removed_lines,
    cast(coalesce(removals.full_lines, 0) as bigint) as removed_full_lines,
    cast(coalesce(charges.lines, 0) as bigint) as taken_back_lines
from added
left join charges on added.commit_sha = charges.commit_sha and added.path = charges.path
full outer join removals on added.commit_sha = removals.commit_sha and added.path = removals.path
