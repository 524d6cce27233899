with source as (
    select * from {{ source('git', 'repository_runs') }}
),

renamed as (
    select
        repository_id,
        name,
        origin,
        default_branch,
        head_sha,
        is_shallow,
        is_partial,
        commit_count,
        skipped_objects,
        coalesce(misdated_deliveries, 0) as misdated_deliveries
    from source
)

select * from renamed
