with known as (
    select * from {{ ref('int_identity__unit_ids') }}
),

merged as (
    select * from {{ ref('int_identity__merged') }}
)

select
    known.known_developer_id,
    merged.developer_id
from known
inner join merged on known.unit_number = merged.unit_number
