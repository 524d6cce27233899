{{ config(materialized='view') }}
-- Delivered lines of each file by class, and what was taken back of them: the entries add up to its line points.
-- A view of arrays that are made in place: with a row per entry, five million file changes did not fit into eight
-- gigabytes. Each entry has the number of its kind; api_v1__line_kinds has the texts. Texts in every entry took most
-- of the memory and of the time of writing.

with delivered as {{ inlined() }} (
    select * from {{ ref('int_points__delivered_lines') }}
),

taken_back as (
    select * from {{ ref('int_points__taken_back') }}
),

weights as (
    select * from {{ ref('int_points__weights') }}
),

-- Most files have one row; only the others are combined. Two files with the same hash do no harm.
scattered as (
    select {{ hashed(['credited_sha', 'path']) }} as file_hash
    from {{ ref('stg_git__delivered_lines') }}
    group by {{ hashed(['credited_sha', 'path']) }}
    having count(*) > 1
),

{% set weight = line_weight(
    'weights',
    "case when delivered.is_restored and line.class = 'returned' then line.original_class else line.class end",
    'case when delivered.has_own_tokens then line.own_tokens else line.tokens end',
    'line.rank'
) -%}
{% set weight = weight_with_tests(weight, 'line.in_test', 'weights') -%}
weighed as {{ inlined() }} (
    select
        delivered.commit_sha,
        delivered.path,
        delivered.birth_sha,
        delivered.removal_sha,
        delivered.replaced_sha,
        delivered.copied_from,
        scattered.file_hash is not null as is_scattered,
        {{ mapped('delivered.lines', 'line', struct_of({
            'kind': line_kind(
                'line.class', 'line.original_class', 'line.tokens', 'line.rank',
                'case when delivered.is_restored then 1 else 0 end', 'line.in_test'
            ),
            'lines': 'cast(line.lines as bigint)',
            'weight_micro': weight,
            'points_micro': 'line.lines * ' ~ weight,
        })) }} as entries
    from delivered
    left join scattered on {{ hashed(['delivered.commit_sha', 'delivered.path']) }} = scattered.file_hash
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

-- In the order of the texts of the numbers.
taken as (
    select
        commit_sha,
        path,
        {{ mapped(collected(struct_of({
            'original_class': 'original_class',
            'tokens': 'tokens',
            'rank': 'rank',
            'in_test': 'in_test',
            'lines': 'lines',
            'weight_micro': '-' ~ whole_ratio('points_micro', 'lines'),
            'points_micro': '-points_micro',
        })), 'entry', struct_of({
            'kind': line_kind(
                "'taken_back'", 'entry.original_class', 'entry.tokens', 'entry.rank', '2', 'entry.in_test'
            ),
            'lines': 'entry.lines',
            'weight_micro': 'entry.weight_micro',
            'points_micro': 'entry.points_micro',
        })) }} as entries
    from taken_back
    group by commit_sha, path
)

select
    added.commit_sha,
    added.path,
    {{ appended('added.entries', 'taken.entries') }} as entries
from added
left join taken on added.commit_sha = taken.commit_sha and added.path = taken.path
