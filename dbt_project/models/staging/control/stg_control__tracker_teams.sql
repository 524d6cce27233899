with source as (
    select * from {{ source('control', 'tracker_teams') }}
),

renamed as (
    select
        connection_id,
        team_key,
        team_id
    from source
)

select * from renamed
