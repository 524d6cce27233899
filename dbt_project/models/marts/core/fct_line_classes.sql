{{ config(materialized='view') }}
-- Why the lines of a file are worth what they are: the entries add up to the line and removal points of the file.
-- A view of arrays that are made in place: with a row per entry, five million file changes did not fit into eight
-- gigabytes.

with delivered as (
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

{% set removed = {
    'class': "'removed'", 'original_class': "'removed'", 'tokens': 'cast(0 as integer)', 'rank': 'cast(1 as integer)'
} -%}
gone as (
    select
        commit_sha,
        path,
        {{ array_of([
            struct_of(dict(
                removed,
                lines='full_lines',
                weight_micro='cast(' ~ var('removal_weight_micro') ~ ' as bigint)',
                points_micro='full_lines * ' ~ var('removal_weight_micro'),
                note="'old lines taken out, in full'"
            )),
            struct_of(dict(
                removed,
                lines='rest_lines',
                weight_micro='cast(' ~ var('removal_rest_weight_micro') ~ ' as bigint)',
                points_micro='rest_lines * ' ~ var('removal_rest_weight_micro'),
                note="'old lines taken out beyond the first ten of a file or hundred of a delivery'"
            )),
        ]) }} as entries
    from removals
)

select
    coalesce(added.commit_sha, gone.commit_sha) as commit_sha,
    coalesce(added.path, gone.path) as path,
    {{ chosen(
        appended(appended('added.entries', 'taken.entries'), 'gone.entries'), 'entry', 'entry.lines > 0'
    ) }} as line_classes
from added
left join taken on added.commit_sha = taken.commit_sha and added.path = taken.path
full outer join gone on added.commit_sha = gone.commit_sha and added.path = gone.path
