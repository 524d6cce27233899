with source as (
    select
        repository_id,
        commit_sha,
        path,
        status,
        {{ each('copyrights') }} as named
    from {{ source('git', 'file_changes') }}
    where {{ size_of('copyrights') }} > 0
),

renamed as (
    select
        repository_id,
        commit_sha,
        path,
        status,
        named.holder,
        named.address,
        named.is_author,
        named.first_year,
        named.last_year
    from source
)

select * from renamed
