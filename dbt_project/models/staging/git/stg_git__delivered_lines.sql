with source as (
    select * from {{ source('git', 'delivered_lines') }}
),

renamed as (
    select
        repository_id,
        delivery_sha,
        path,
        previous_path,
        status,
        language,
        role,
        is_binary,
        is_generated,
        is_vendored,
        is_minified,
        content_hash,
        novel_lines,
        credited_sha,
        birth_sha,
        removal_sha,
        replaced_sha,
        copied_from,
        lines
    from source
)

select * from renamed
