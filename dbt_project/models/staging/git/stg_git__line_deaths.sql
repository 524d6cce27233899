with source as (
    select * from {{ source('git', 'line_deaths') }}
),

renamed as (
    select
        repository_id,
        delivery_sha,
        remover_sha,
        path,
        origin_sha,
        birth_sha,
        role,
        is_binary,
        is_generated,
        is_vendored,
        is_minified,
        is_revert,
        language,
        lines
    from source
)

select * from renamed
