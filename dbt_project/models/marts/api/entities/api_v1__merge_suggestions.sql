with suggestions as (
    select * from {{ ref('int_identity__suggestions') }}
    -- Each pair once.
    where developer_id < suggested_developer_id
),

developers as (
    select * from {{ ref('dim_developers') }}
    where not is_outsider
),

pairs as (
    select
        developer_id,
        suggested_developer_id,
        {{ uuid5_digest(
            "'" ~ var('organization_id') ~ "'",
            "concat('suggestion:', developer_id, ' ', suggested_developer_id)"
        ) }} as digest,
        {{ collected('reason') }} as reasons
    from suggestions
    group by developer_id, suggested_developer_id
)

select
    {{ uuid5_of_digest('pairs.digest') }} as suggestion_id,
    pairs.developer_id,
    one.name as developer_name,
    one.primary_email as developer_email,
    pairs.suggested_developer_id as other_id,
    other.name as other_name,
    other.primary_email as other_email,
    pairs.reasons,
    '{{ var("calculation_version") }}' as calculation_version
from pairs
inner join developers as one on pairs.developer_id = one.developer_id
inner join developers as other on pairs.suggested_developer_id = other.developer_id
