with source as (
    select * from {{ source('control', 'teams') }}
),

renamed as (
    select
        team_id,
        parent_id,
        name
    from source
)

select * from renamed
