with source as (
    select * from {{ source('control', 'commit_categories') }}
),

renamed as (
    select
        commit_id,
        category
    from source
)

select * from renamed
