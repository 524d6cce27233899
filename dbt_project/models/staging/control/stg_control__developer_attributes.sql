with source as (
    select * from {{ source('control', 'developer_attributes') }}
),

renamed as (
    select
        developer_id,
        attribute,
        value
    from source
)

select * from renamed
