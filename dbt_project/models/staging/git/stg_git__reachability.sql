with source as (
    select * from {{ source('git', 'reachability') }}
),

renamed as (
    select
        repository_id,
        commit_sha,
        from_default,
        from_default or from_branch or from_tag as is_reachable,
        coalesce(from_review, false) as from_review,
        coalesce(from_upstream, false) as from_upstream
    from source
)

select * from renamed
