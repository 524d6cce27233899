with source as (
    select * from {{ source('control', 'connections') }}
),

renamed as (
    select
        connection_id,
        kind,
        category,
        name,
        unsynced_since
    from source
)

select * from renamed
