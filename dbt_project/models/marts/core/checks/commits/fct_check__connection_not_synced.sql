-- The settings know the last complete sync alone, and keep no history of earlier gaps: what is synced again leaves the
-- occurrences.

with connections as (
    select * from {{ ref('int_checks__connections') }}
)

select
    'connection' as subject_type,
    connection_id as subject_id,
    cast(null as {{ dbt.type_string() }}) as repository_id,
    cast(null as {{ dbt.type_string() }}) as developer_id,
    unsynced_since as started_at,
    {{ endless() }},
    cast(null as bigint) as value_micro,
    name as subject_title
from connections
