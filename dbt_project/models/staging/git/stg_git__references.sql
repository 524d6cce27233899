with source as (
    select * from {{ source('git', 'references') }}
),

renamed as (
    select
        repository_id,
        commit_sha,
        found_in,
        path,
        shape,
        target
    from source
)

select * from renamed
