-- The ids that a developer has or had. Merges join units: a group before decisions, or the addresses that a split
-- took out of it. A unit that splits left without an address may still join others, through a merge that names
-- it.

with found as (
    select * from {{ ref('int_identity__groups') }}
),

addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

splits as (
    select * from {{ ref('stg_control__identity_splits') }}
),

decided as (
    select * from {{ ref('stg_control__identity_merges') }}
),

-- Addresses that a split took out, and addresses that followed their mailbox later.
taken as (
    select
        splits.developer_id,
        addresses.address_number
    from splits
    inner join addresses on splits.address_id = addresses.address_id
    where splits.developer_id is not null
    union all
    select
        split_developer_id as developer_id,
        address_number
    from found
    where split_developer_id is not null
),

every_unit as (
    select
        found_developer_id as unit_developer_id,
        0 as is_split,
        min(group_number) as first_number
    from found
    group by found_developer_id
    union all
    select
        developer_id as unit_developer_id,
        1 as is_split,
        min(address_number) as first_number
    from taken
    group by developer_id
),

units as (
    select
        unit_developer_id,
        row_number() over (order by first_number, is_split, unit_developer_id) as unit_number
    from every_unit
),

-- The id that a developer would have with an address alone stands for the group of the address, even after a split
-- took the address out.
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
),

known as (
    select
        named.known_developer_id,
        units.unit_number
    from named
    inner join units on named.unit_developer_id = units.unit_developer_id
),

links as (
    select
        unit_number as member,
        concat('unit:', unit_developer_id) as key
    from units
    union all
    select
        known.unit_number as member,
        concat('merge:', decided.merge_id) as key
    from decided
    inner join known on decided.developer_id = known.known_developer_id
),

{{ connected_groups('links', rounds=8) }},

merged as (
    select
        connected.member as unit_number,
        connected.label as first_unit_number,
        firsts.unit_developer_id as developer_id
    from connected
    inner join units as firsts on connected.label = firsts.unit_number
),

-- Splits may have left a developer without an address.
present as (
    select distinct merged.developer_id
    from found
    inner join units on coalesce(found.split_developer_id, found.found_developer_id) = units.unit_developer_id
    inner join merged on units.unit_number = merged.unit_number
)

select
    known.known_developer_id,
    merged.developer_id,
    merged.unit_number,
    merged.first_unit_number
from known
inner join merged on known.unit_number = merged.unit_number
inner join present on merged.developer_id = present.developer_id
