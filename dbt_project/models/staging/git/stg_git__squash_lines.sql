with source as (
    select * from {{ source('git', 'squash_lines') }}
),

renamed as (
    select
        repository_id,
        squash_sha,
        source_sha,
        path,
        role,
        is_binary,
        is_generated,
        is_vendored,
        is_minified,
        removed_lines,
        lines
    from source
)

select * from renamed
