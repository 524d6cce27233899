-- What decisions join and part: groups as found, and addresses that a split took out of one. A group keeps its id
-- whatever is taken out of it, so that what was decided about it still finds it.

with addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

groups as (
    select * from {{ ref('int_identity__groups') }}
),

keys as (
    select * from {{ ref('int_identity__keys') }}
),

splits as (
    select * from {{ ref('stg_control__identity_splits') }}
),

-- The natural key is the address used first; where that joins nobody it needs the name as well.
natural_keys as (
    select
        addresses.address_number,
        case
            when keys.key is not null then addresses.address
            else concat(addresses.address, ' ', addresses.compared_name)
        end as natural_key
    from addresses
    left join keys on addresses.address_number = keys.address_number and keys.kind = 'address'
),

digests as (
    select
        address_number,
        {{ uuid5_digest("'" ~ var('organization_id') ~ "'", "concat('developer:', natural_key)") }} as digest
    from natural_keys
),

named as (
    select
        addresses.address_number,
        groups.group_number,
        groups.reason,
        {{ uuid5_of_digest('own_digests.digest') }} as own_developer_id,
        {{ uuid5_of_digest('digests.digest') }} as found_developer_id,
        splits.developer_id as split_developer_id,
        min(addresses.address_number) over (partition by splits.developer_id) as split_number
    from addresses
    inner join groups on addresses.address_number = groups.address_number
    inner join digests on groups.group_number = digests.address_number
    inner join digests as own_digests on addresses.address_number = own_digests.address_number
    left join splits on addresses.address_id = splits.address_id
)

select
    address_number,
    group_number,
    reason,
    own_developer_id,
    found_developer_id,
    split_developer_id is not null as is_split,
    coalesce(split_developer_id, found_developer_id) as unit_developer_id,
    -- By first use; of a group and what was taken out of it the group comes first.
    case when split_developer_id is null then 2 * group_number else 2 * split_number + 1 end as unit_number
from named
