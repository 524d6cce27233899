with source as (
    select * from {{ source('control', 'commit_exclusions') }}
),

renamed as (
    select
        commit_id,
        is_excluded,
        upper(reason) as reason,
        note
    from source
)

select * from renamed
