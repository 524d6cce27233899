with source as (
    select * from {{ source('git', 'refs') }}
),

renamed as (
    select
        repository_id,
        name,
        kind,
        head_sha,
        is_default
    from source
)

select * from renamed
