with source as (
    select * from {{ source('git', 'file_changes') }}
    where known_library is not null
),

renamed as (
    select
        repository_id,
        commit_sha,
        path,
        status,
        known_library,
        published_lines,
        published_later_lines,
        compared_lines
    from source
)

select * from renamed
