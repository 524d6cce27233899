with source as (
    select * from {{ source('control', 'ai_actors') }}
),

renamed as (
    select
        actor,
        developer_id
    from source
)

select * from renamed
