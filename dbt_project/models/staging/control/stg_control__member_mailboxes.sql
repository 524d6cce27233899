with source as (
    select * from {{ source('control', 'member_mailboxes') }}
),

renamed as (
    select mailbox_id
    from source
)

select * from renamed
