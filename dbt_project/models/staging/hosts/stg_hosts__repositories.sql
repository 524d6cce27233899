-- The newest version of each repository that still exists, of connections that are in the settings.

with connections as (
    select connection_id from {{ source('control', 'connections') }}
),

deletions as (
    select
        connection_id,
        provider_id
    from {{ source('hosts', 'deletions') }}
    where table_name = 'repositories'
),

versions as (
    select
        connection_id,
        provider_id,
        {{ replaced('lower(address)', pattern_text('^[a-z+]+:/+([^/@]*@)?|([.]git)?/?$'), "''") }} as origin,
        is_fork,
        created_at,
        row_number() over (partition by connection_id, provider_id order by batch desc) as version
    from {{ source('hosts', 'repositories') }}
    where connection_id in (select connection_id from connections)
)

select
    versions.connection_id,
    versions.provider_id,
    versions.origin,
    versions.is_fork,
    versions.created_at
from versions
left join deletions
    on versions.connection_id = deletions.connection_id and versions.provider_id = deletions.provider_id
where versions.version = 1 and deletions.provider_id is null
