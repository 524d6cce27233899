with source as (
    select * from {{ source('control', 'mailbox_splits') }}
),

renamed as (
    select
        mailbox_id,
        developer_id
    from source
)

select * from renamed
