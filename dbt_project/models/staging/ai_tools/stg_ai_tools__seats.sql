-- Vendors keep no history of seats, so that a connection stores the list of each day. As in `stg_ai_tools__usage`, a seat
-- that two connections of one kind list on a day is one seat.

with connections as (
    select
        connection_id,
        kind
    from {{ source('control', 'connections') }}
),

source as (
    select
        seats.*,
        connections.kind as connection_kind
    from {{ source('ai_tools', 'seats') }} as seats
    inner join connections on seats.connection_id = connections.connection_id
),

deletions as (
    select
        connection_id,
        provider_id
    from {{ source('ai_tools', 'deletions') }}
    where table_name = 'seats'
),

versions as (
    select
        *,
        row_number() over (partition by connection_id, provider_id order by batch desc) as version
    from source
),

present as (
    select
        versions.*,
        row_number() over (
            partition by versions.connection_kind, versions.provider_id order by versions.connection_id
        ) as place
    from versions
    left join deletions
        on versions.connection_id = deletions.connection_id and versions.provider_id = deletions.provider_id
    where versions.version = 1 and deletions.provider_id is null
)

select
    connection_id,
    connection_kind,
    provider_id,
    seen_on,
    tool,
    {{ compared_address('actor_email') }} as actor_email,
    lower(trim(actor_login)) as actor_login,
    trim(actor_id) as actor_id,
    trim(actor_name) as actor_name,
    plan,
    last_active_at,
    ends_on
from present
where place = 1
