with source as (
    select * from {{ source('control', 'category_answers') }}
),

renamed as (
    select
        commit_id,
        category,
        confidence_micro,
        model
    from source
)

select * from renamed
