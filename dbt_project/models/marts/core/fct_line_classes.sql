-- Why the lines of a file are worth what they are: the entries add up to the line and removal points of the file.

with delivered as (
    select * from {{ ref('int_points__delivered_lines') }}
),

lines as (
    {{ weighed_lines('delivered') | indent(4) }}
),

charges as (
    select * from {{ ref('int_points__charges') }}
),

removals as (
    select * from {{ ref('int_points__removals') }}
),

entries as (
    select
        commit_sha,
        path,
        class,
        original_class,
        tokens,
        rank,
        lines,
        weight_micro,
        lines * weight_micro as points_micro,
        case when is_restored then 'credit that a removal had taken back is given again' else '' end as note
    from lines
    union all
    select
        commit_sha,
        path,
        'taken_back' as class,
        original_class,
        tokens,
        rank,
        lines,
        -{{ whole_ratio('points_micro', 'lines') }} as weight_micro,
        -points_micro as points_micro,
        'the author removed these lines again within two weeks' as note
    from charges
    union all
    select
        commit_sha,
        path,
        'removed' as class,
        'removed' as original_class,
        0 as tokens,
        1 as rank,
        full_lines as lines,
        {{ var('removal_weight_micro') }} as weight_micro,
        full_lines * {{ var('removal_weight_micro') }} as points_micro,
        'old lines taken out, in full' as note
    from removals
    where full_lines > 0
    union all
    select
        commit_sha,
        path,
        'removed' as class,
        'removed' as original_class,
        0 as tokens,
        1 as rank,
        rest_lines as lines,
        {{ var('removal_rest_weight_micro') }} as weight_micro,
        rest_lines * {{ var('removal_rest_weight_micro') }} as points_micro,
        'old lines taken out beyond the first ten of a file or hundred of a delivery' as note
    from removals
    where rest_lines > 0
),

summed as (
    select
        commit_sha,
        path,
        class,
        original_class,
        tokens,
        rank,
        weight_micro,
        note,
        cast(sum(lines) as bigint) as lines,
        cast(sum(points_micro) as bigint) as points_micro
    from entries
    group by commit_sha, path, class, original_class, tokens, rank, weight_micro, note
)

select
    commit_sha,
    path,
    {{ collected(struct_of({
        'class': 'class',
        'original_class': 'original_class',
        'tokens': 'cast(tokens as integer)',
        'rank': 'cast(rank as integer)',
        'lines': 'lines',
        'weight_micro': 'cast(weight_micro as bigint)',
        'points_micro': 'points_micro',
        'note': 'note',
    })) }} as line_classes
from summed
group by commit_sha, path
