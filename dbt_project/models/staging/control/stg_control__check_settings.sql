with source as (
    select * from {{ source('control', 'check_settings') }}
),

renamed as (
    select
        kind,
        is_on,
        threshold_micro,
        critical_micro
    from source
)

select * from renamed
