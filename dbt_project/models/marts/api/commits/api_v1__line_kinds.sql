with files as (
    select * from {{ ref('api_v1__commit_files') }}
),

entries as (
    select {{ each('line_classes') }} as entry
    from files
),

kinds as (
    select distinct entry.kind
    from entries
)

select
    kind,
    {{ class_of_kind('kind') }} as class,
    {{ original_class_of_kind('kind') }} as original_class,
    {{ tokens_of_kind('kind') }} as tokens,
    {{ rank_of_kind('kind') }} as rank,
    {{ note_of_kind('kind') }} as note,
    '{{ var("calculation_version") }}' as calculation_version
from kinds
