-- One row per address, with the developer that it belongs to.

with addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

groups as (
    select * from {{ ref('int_identity__groups') }}
),

keys as (
    select * from {{ ref('int_identity__keys') }}
),

robots as (
    select * from {{ ref('int_identity__robots') }}
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
)

select
    addresses.address_number,
    addresses.name,
    addresses.address,
    groups.group_number,
    {{ uuid5_of_digest('digests.digest') }} as developer_id,
    {{ uuid5_of_digest('own_digests.digest') }} as own_developer_id,
    groups.reason,
    robots.address_number is not null as is_robot,
    coalesce(robots.is_agent, false) as is_agent,
    robots.reason as robot_reason,
    addresses.authored_commits,
    addresses.first_used_at
from addresses
inner join groups on addresses.address_number = groups.address_number
inner join digests on groups.group_number = digests.address_number
inner join digests as own_digests on addresses.address_number = own_digests.address_number
left join robots on addresses.address_number = robots.address_number
