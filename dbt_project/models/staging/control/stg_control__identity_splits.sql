with source as (
    select * from {{ source('control', 'identity_splits') }}
),

renamed as (
    select
        address_id,
        developer_id,
        is_last
    from source
)

select * from renamed
