with versions as (

    select * from {{ source('incidents', 'incidents') }}

),

deletions as (

    select * from {{ source('incidents', 'deletions') }}

)

select
    connection_id,
    provider_id as incident_id,
    title,
    updated_at
from versions
where not exists (select 1 from deletions where deletions.provider_id = versions.provider_id)
qualify row_number() over (partition by connection_id, provider_id order by batch desc) = 1
