with source as (
    select * from {{ source('git', 'fix_context') }}
),

renamed as (
    select
        repository_id,
        delivery_sha,
        commit_sha,
        path,
        origin_sha,
        role,
        is_binary,
        is_generated,
        is_vendored,
        is_minified,
        near_weight_micro,
        function_lines
    from source
)

select * from renamed
