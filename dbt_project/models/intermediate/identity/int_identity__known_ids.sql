with known as (
    select * from {{ ref('int_identity__unit_ids') }}
),

found as (
    select * from {{ ref('int_identity__found') }}
),

units as (
    select * from {{ ref('int_identity__units') }}
),

merged as (
    select * from {{ ref('int_identity__merged') }}
),

-- Whom splits have left without an address is nobody.
present as (
    select distinct merged.developer_id
    from found
    inner join units on coalesce(found.split_developer_id, found.found_developer_id) = units.unit_developer_id
    inner join merged on units.unit_number = merged.unit_number
)

select
    known.known_developer_id,
    merged.developer_id
from known
inner join merged on known.unit_number = merged.unit_number
inner join present on merged.developer_id = present.developer_id
