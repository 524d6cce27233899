with source as (
    select * from {{ source('control', 'holidays') }}
),

renamed as (
    select
        holiday_on,
        name
    from source
)

select * from renamed
