with source as (
    select * from {{ source('control', 'connection_levels') }}
),

renamed as (
    select
        connection_id,
        item_kind,
        level
    from source
)

select * from renamed
