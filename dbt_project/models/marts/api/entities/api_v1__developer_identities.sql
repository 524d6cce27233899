with addresses as (
    select * from {{ ref('int_identity__developers') }}
)

select
    own_developer_id,
    min(developer_id) as developer_id,
    '{{ var("calculation_version") }}' as calculation_version
from addresses
group by own_developer_id
-- Addresses that several people share are left out.
having count(distinct developer_id) = 1
