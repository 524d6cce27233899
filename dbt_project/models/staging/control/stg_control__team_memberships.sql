with source as (
    select * from {{ source('control', 'team_memberships') }}
),

renamed as (
    select
        team_id,
        developer_id,
        start_on,
        end_on
    from source
)

select * from renamed
