with source as (
    select * from {{ source('control', 'check_settings') }}
),

renamed as (
    select
        kind,
        is_on,
        threshold_micro,
        critical_micro,
        threshold_multiple_hundredths,
        critical_multiple_hundredths
    from source
)

select * from renamed
