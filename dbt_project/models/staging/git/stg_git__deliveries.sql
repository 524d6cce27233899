with source as (
    select * from {{ source('git', 'deliveries') }}
),

renamed as (
    select
        repository_id,
        delivery_sha,
        position,
        kind,
        delivered_at,
        branch_names,
        is_unrelated_root,
        commit_shas
    from source
)

select * from renamed
