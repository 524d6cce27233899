-- An id that an address alone would have names the group that the address was found in, also where a split took the
-- address out since.

with found as (
    select * from {{ ref('int_identity__found') }}
),

units as (
    select * from {{ ref('int_identity__units') }}
),

named as (
    select
        own_developer_id as known_developer_id,
        found_developer_id as unit_developer_id
    from found
    union distinct
    select
        unit_developer_id as known_developer_id,
        unit_developer_id
    from units
)

select
    named.known_developer_id,
    units.unit_number
from named
inner join units on named.unit_developer_id = units.unit_developer_id
