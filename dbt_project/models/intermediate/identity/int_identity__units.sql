-- A unit that splits have left without an address may still be what joins others: by a merge that names it.

with found as (
    select * from {{ ref('int_identity__found') }}
),

addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

splits as (
    select * from {{ ref('stg_control__identity_splits') }}
),

-- What a split took out, and what went with its mailbox since.
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

units as (
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
)

select
    unit_developer_id,
    row_number() over (order by first_number, is_split, unit_developer_id) as unit_number
from units
