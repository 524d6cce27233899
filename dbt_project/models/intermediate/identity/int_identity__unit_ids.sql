-- An id that an address alone would have names the group that the address was found in, also where a split took the
-- address out since.

with units as (
    select * from {{ ref('int_identity__units') }}
),

groups as (
    select distinct
        unit_developer_id,
        unit_number
    from units
    where not is_split
)

select distinct
    units.own_developer_id as known_developer_id,
    groups.unit_number
from units
inner join groups on units.found_developer_id = groups.unit_developer_id
union all
select distinct
    unit_developer_id as known_developer_id,
    unit_number
from units
where is_split
