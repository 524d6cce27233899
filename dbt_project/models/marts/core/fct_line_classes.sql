{{ config(materialized='view') }}
-- Scored files with their lines by class: the entries add up to the line and removal points of the file.
-- A view of arrays that are made in place: with a row per entry, five million file changes did not fit into eight
-- gigabytes.

with files as (
    select * from {{ ref('fct_commit_files') }}
),

delivered as (
    select * from {{ ref('int_points__delivered_lines') }}
),

charges as (
    select * from {{ ref('int_points__charges') }}
),

removals as (
    select * from {{ ref('int_points__removals') }}
),

weights as (
    select * from {{ ref('int_points__weights') }}
),

-- Most files have one row; only the others must be put together.
scattered as (
    select
        commit_sha,
        path
    from {{ ref('int_points__delivered_lines') }}
    group by commit_sha, path
    having count(*) > 1
),

{% set weight = line_weight(
    'weights',
    "case when delivered.is_restored and line.class = 'returned' then line.original_class else line.class end",
    'case when delivered.has_own_tokens then line.own_tokens else line.tokens end',
    'line.rank'
) -%}
{% set restored = "case when delivered.is_restored then 'credit that a removal had taken back is given again' end" -%}
weighed as (
    select
        delivered.commit_sha,
        delivered.path,
        delivered.birth_sha,
        delivered.removal_sha,
        delivered.replaced_sha,
        delivered.copied_from,
        scattered.path is not null as is_scattered,
        {{ mapped('delivered.lines', 'line', struct_of({
            'class': 'line.class',
            'original_class': 'line.original_class',
            'tokens': 'line.tokens',
            'rank': 'line.rank',
            'lines': 'cast(line.lines as bigint)',
            'weight_micro': weight,
            'points_micro': 'line.lines * ' ~ weight,
            'note': restored,
        })) }} as entries
    from delivered
    left join scattered on delivered.commit_sha = scattered.commit_sha and delivered.path = scattered.path
    cross join weights
),

added as (
    select
        commit_sha,
        path,
        entries
    from weighed
    where not is_scattered
    union all
    select
        commit_sha,
        path,
        {{ flattened(collected_in_order(
            'entries', "concat_ws(' ', birth_sha, removal_sha, replaced_sha, copied_from)"
        )) }} as entries
    from weighed
    where is_scattered
    group by commit_sha, path
),

taken as (
    select
        commit_sha,
        path,
        {{ collected(struct_of({
            'class': "'taken_back'",
            'original_class': 'original_class',
            'tokens': 'tokens',
            'rank': 'rank',
            'lines': 'lines',
            'weight_micro': '-' ~ whole_ratio('points_micro', 'lines'),
            'points_micro': '-points_micro',
            'note': "'the author removed these lines again within two weeks'",
        })) }} as entries
    from charges
    group by commit_sha, path
),

-- Taken from the file's own row, so that nothing but the arrays of added lines has to be kept while joining.
{% set removed = {
    'class': "'removed'", 'original_class': "'removed'", 'tokens': 'cast(0 as integer)', 'rank': 'cast(1 as integer)'
} -%}
joined as (
    select
        files.*,
        added.entries as added,
        taken.entries as taken,
        {{ array_of([
            struct_of(dict(
                removed,
                lines='coalesce(removals.full_lines, 0)',
                weight_micro='cast(' ~ var('removal_weight_micro') ~ ' as bigint)',
                points_micro='removals.full_lines * ' ~ var('removal_weight_micro'),
                note="'old lines taken out, in full'"
            )),
            struct_of(dict(
                removed,
                lines='coalesce(removals.rest_lines, 0)',
                weight_micro='cast(' ~ var('removal_rest_weight_micro') ~ ' as bigint)',
                points_micro='removals.rest_lines * ' ~ var('removal_rest_weight_micro'),
                note="'old lines taken out beyond the first ten of a file or hundred of a delivery'"
            )),
        ]) }} as gone
    from files
    left join added on files.commit_sha = added.commit_sha and files.path = added.path
    left join taken on files.commit_sha = taken.commit_sha and files.path = taken.path
    left join removals on files.commit_sha = removals.commit_sha and files.path = removals.path
),

gathered as (
    select
        joined.*,
        {{ chosen(appended(appended('added', 'taken'), 'gone'), 'entry', 'entry.lines > 0') }} as entries
    from joined
)

select
    commit_sha,
    path,
    repository_id,
    delivery_sha,
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
    architecture_factor_micro,
    multiplier_micro,
    etv_micro,
    case
        when {{ size_of('entries') }} = 0 then null
        when coalesce(zero_reason, 'NO_COUNTED_LINES') = 'NO_COUNTED_LINES' then entries
        -- Where a rule zeroes the file its lines are shown without points, so that they add up all the same.
        else {{ mapped('entries', 'entry', struct_of({
            'class': 'entry.class',
            'original_class': 'entry.original_class',
            'tokens': 'entry.tokens',
            'rank': 'entry.rank',
            'lines': 'entry.lines',
            'weight_micro': 'entry.weight_micro',
            'points_micro': 'cast(0 as bigint)',
            'note': 'entry.note',
        })) }}
    end as line_classes
from gathered
