-- What the source commits of a squash would have earned with its lines, by which their people share it.

with files as (
    select * from {{ ref('stg_git__squash_lines') }}
),

roles as (
    select * from {{ ref('role_factors') }}
),

weights as (
    select * from {{ ref('int_points__weights') }}
),

{% set weight = line_weight('weights', 'line.class', 'line.tokens', 'line.rank') -%}
weighed as (
    select
        files.repository_id,
        files.squash_sha,
        files.source_sha,
        coalesce(roles.factor_micro, 1000000) as factor_micro,
        {{ total_of(mapped(
            'files.lines', 'line', 'line.lines * ' ~ weight_with_tests(weight, 'line.in_test', 'weights')
        )) }} as added_micro,
        least(files.removed_lines, {{ var('removal_full_lines_per_file') }}) as full_lines,
        greatest(files.removed_lines - {{ var('removal_full_lines_per_file') }}, 0) as rest_lines
    from files
    left join roles on files.role = roles.role
    cross join weights
    where not {{ is_worthless_file('files') }}
)

select
    repository_id,
    squash_sha,
    source_sha,
    cast(sum({{ wide_ratio(
        wide(
            '(added_micro + full_lines * ' ~ var('removal_weight_micro') ~ ' + rest_lines * '
            ~ var('removal_rest_weight_micro') ~ ')'
        ) ~ ' * factor_micro', '1000000'
    ) }}) as bigint) as weight
from weighed
group by repository_id, squash_sha, source_sha
