-- The group of an address before decisions, and its developer after a split. A group keeps its id when a split takes
-- addresses out, so that decisions about the group remain valid.

with keys as (
    select * from {{ ref('int_identity__keys') }}
),

addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

splits as (
    select * from {{ ref('stg_control__identity_splits') }}
    where is_last
),

mailbox_splits as (
    select * from {{ ref('stg_control__mailbox_splits') }}
),

links as (
    select
        address_number as member,
        key
    from keys
),

{{ connected_groups('links', rounds=8) }},

-- Why an address is in its group: the strongest key that it shares with an earlier address, or else with any address.
shared as (
    select
        key,
        min(address_number) as earliest,
        count(*) as sharers
    from keys
    group by key
),

reasons as (
    select
        keys.address_number,
        min(
            case when shared.earliest < keys.address_number then 0 else 10 end
            + case keys.kind when 'same' then 1 when 'address' then 2 when 'row' then 8 when 'account' then 3 when 'login' then 4 when 'provider' then 4 when 'mailmap' then 5 when 'name' then 6 else 7 end
        ) as strongest
    from keys
    inner join shared on keys.key = shared.key
    where shared.sharers > 1
    group by keys.address_number
),

groups as (
    select
        connected.member as address_number,
        connected.label as group_number,
        case
            when connected.member = connected.label then 'FIRST_USED'
            when reasons.strongest % 10 in (1, 2) then 'SAME_ADDRESS'
            when reasons.strongest % 10 in (3, 4) then 'SAME_LOGIN'
            when reasons.strongest % 10 = 5 then 'MAILMAP'
            when reasons.strongest % 10 = 6 then 'SAME_FULL_NAME'
            when reasons.strongest % 10 = 8 then 'COMMON_ROW'
            else 'NAME_IS_LOGIN'
        end as reason
    from connected
    left join reasons on connected.member = reasons.address_number
),

-- The natural key is the address that was used first, with the name if this address joins nobody.
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
    groups.group_number,
    groups.reason,
    {{ uuid5_of_digest('own_digests.digest') }} as own_developer_id,
    {{ uuid5_of_digest('digests.digest') }} as found_developer_id,
    -- A name that first appears after a split follows its mailbox, if the mailbox joins names.
    case
        when splits.address_id is not null then splits.developer_id
        when keys.key is not null then mailbox_splits.developer_id
    end as split_developer_id
from addresses
left join keys on addresses.address_number = keys.address_number and keys.kind = 'address'
inner join groups on addresses.address_number = groups.address_number
inner join digests on groups.group_number = digests.address_number
inner join digests as own_digests on addresses.address_number = own_digests.address_number
left join splits on addresses.address_id = splits.address_id
left join mailbox_splits on addresses.mailbox_id = mailbox_splits.mailbox_id
