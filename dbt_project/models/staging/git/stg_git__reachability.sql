with source as (
    select * from {{ source('git', 'reachability') }}
),

renamed as (
    select
        repository_id,
        commit_sha,
        from_default or from_branch or from_tag as is_reachable
    from source
)

select * from renamed
