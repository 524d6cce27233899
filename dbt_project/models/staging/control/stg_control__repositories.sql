with source as (
    select * from {{ source('control', 'repositories') }}
),

renamed as (
    select
        repository_id,
        name,
        origin,
        is_sandbox,
        is_excluded,
        is_disabled,
        analysis_start_at,
        tags,
        unread_since
    from source
)

select * from renamed
