with source as (
    select * from {{ source('git', 'deliveries') }}
),

renamed as (
    select
        repository_id,
        delivery_sha,
        position,
        kind,
        delivered_at,
        branch_names,
        pull_request,
        commit_shas,
        -- Facts of extractors before version 5 name no commits, only deliveries.
        coalesce(
            unrelated_shas, case when is_unrelated_root then commit_shas else {{ array_of([]) }} end
        ) as unrelated_shas,
        coalesce(joining_shas, {{ array_of([]) }}) as joining_shas,
        coalesce(upstream_shas, {{ array_of([]) }}) as upstream_shas,
        upstream_base
    from source
)

select * from renamed
