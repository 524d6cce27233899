with files as (
    select * from {{ ref('fct_commit_files') }}
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

line_classes as (
    select * from {{ ref('fct_line_classes') }}
),

copies as (
    select
        commit_sha,
        path,
        min(copied_from) as copied_from
    from {{ ref('int_points__delivered_lines') }}
    where copied_from is not null
    group by commit_sha, path
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
    copies.copied_from,
    -- Where a rule zeroes the file its lines are shown without points, so that they add up all the same.
    case
        when coalesce(files.zero_reason, 'NO_COUNTED_LINES') = 'NO_COUNTED_LINES' then line_classes.line_classes
        else {{ mapped('line_classes.line_classes', 'entry', struct_of({
            'class': 'entry.class',
            'original_class': 'entry.original_class',
            'tokens': 'entry.tokens',
            'rank': 'entry.rank',
            'lines': 'entry.lines',
            'weight_micro': 'entry.weight_micro',
            'points_micro': 'cast(0 as bigint)',
            'note': 'entry.note',
        })) }}
    end as line_classes,
    '{{ var("calculation_version") }}' as calculation_version
from files
inner join commits on files.commit_sha = commits.commit_sha
left join line_classes on files.commit_sha = line_classes.commit_sha and files.path = line_classes.path
left join copies on files.commit_sha = copies.commit_sha and files.path = copies.path
