with source as (
    select * from {{ source('control', 'suggestion_dismissals') }}
),

renamed as (
    select
        dismissal_id,
        developer_id
    from source
)

select * from renamed
