{{ config(materialized='view') }}
-- Scored files with their lines by class: the entries add up to the line and removal points of the file.
-- A view of arrays that are made in place: with a row per entry, five million file changes did not fit into eight
-- gigabytes. What an entry stands for is a number, whose texts api_v1__line_kinds has once: with every entry they were
-- most of the memory and of the time to write it.

with files as (
    select * from {{ ref('fct_commit_files') }}
),

delivered as {{ inlined() }} (
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

-- Most files have one row; only the others must be put together. A hash that two files share does no harm.
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
                'case when delivered.is_restored then 1 else 0 end'
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

-- In the order in which their texts would be.
taken as (
    select
        commit_sha,
        path,
        {{ mapped(collected(struct_of({
            'original_class': 'original_class',
            'tokens': 'tokens',
            'rank': 'rank',
            'lines': 'lines',
            'weight_micro': '-' ~ whole_ratio('points_micro', 'lines'),
            'points_micro': '-points_micro',
        })), 'entry', struct_of({
            'kind': line_kind("'taken_back'", 'entry.original_class', 'entry.tokens', 'entry.rank', '2'),
            'lines': 'entry.lines',
            'weight_micro': 'entry.weight_micro',
            'points_micro': 'entry.points_micro',
        })) }} as entries
    from charges
    group by commit_sha, path
),

{% set removed = "cast(" ~ var('removal_weight_micro') ~ " as bigint)" -%}
{% set rest = "cast(" ~ var('removal_rest_weight_micro') ~ " as bigint)" -%}
gone as (
    select
        commit_sha,
        path,
        {{ chosen(array_of([
            struct_of({
                'kind': line_kind("'removed'", "'removed'", '0', '1', '3'),
                'lines': 'full_lines',
                'weight_micro': removed,
                'points_micro': 'full_lines * ' ~ removed,
            }),
            struct_of({
                'kind': line_kind("'removed'", "'removed'", '0', '1', '4'),
                'lines': 'rest_lines',
                'weight_micro': rest,
                'points_micro': 'rest_lines * ' ~ rest,
            }),
        ]), 'entry', 'entry.lines > 0') }} as entries
    from removals
),

gathered as (
    select
        files.*,
        {{ appended(appended('added.entries', 'taken.entries'), 'gone.entries') }} as entries
    from files
    left join added on files.commit_sha = added.commit_sha and files.path = added.path
    left join taken on files.commit_sha = taken.commit_sha and files.path = taken.path
    left join gone on files.commit_sha = gone.commit_sha and files.path = gone.path
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
    copied_from,
    line_points_micro,
    file_bonus_micro,
    removed_points_micro,
    role_factor_micro,
    points_micro,
    effort_micro,
    architecture_factor_micro,
    multiplier_micro,
    etv_micro,
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
from gathered
