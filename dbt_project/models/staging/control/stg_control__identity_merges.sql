with source as (
    select * from {{ source('control', 'identity_merges') }}
),

renamed as (
    select
        merge_id,
        developer_id
    from source
)

select * from renamed
