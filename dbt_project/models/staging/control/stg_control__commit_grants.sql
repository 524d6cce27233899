with source as (
    select * from {{ source('control', 'commit_grants') }}
),

renamed as (
    select
        repository_id,
        first_number,
        last_number
    from source
)

select * from renamed
