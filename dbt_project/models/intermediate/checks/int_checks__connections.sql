select
    connection_id,
    name,
    unsynced_since
from {{ ref('stg_control__connections') }}
