-- One row per address, with the developer that it belongs to.

with addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

units as (
    select * from {{ ref('int_identity__units') }}
),

merged as (
    select * from {{ ref('int_identity__merged') }}
),

attributes as (
    select * from {{ ref('int_identity__attributes') }}
),

robots as (
    select * from {{ ref('int_identity__robots') }}
),

-- A split is the reason of all that it took out; a merge that of the first address of each unit that it brought.
reasons as (
    select
        units.*,
        merged.developer_id,
        min(units.address_number) over (partition by merged.developer_id) as developer_number,
        case
            when units.is_split then 'SPLIT'
            when
                units.unit_number <> merged.first_unit_number
                and units.address_number = min(units.address_number) over (partition by units.unit_number)
                then 'MERGED'
            else units.reason
        end as reason_now
    from units
    inner join merged on units.unit_number = merged.unit_number
)

select
    addresses.address_number,
    addresses.address_id,
    addresses.name,
    addresses.address,
    reasons.group_number as found_group_number,
    reasons.developer_number as group_number,
    reasons.developer_id,
    reasons.own_developer_id,
    reasons.reason_now as reason,
    -- What people say holds, whatever was found.
    case attributes.kind
        when 'bot' then true
        when 'human' then false
        else robots.address_number is not null
    end as is_robot,
    coalesce(robots.is_agent and (attributes.kind is null or attributes.kind <> 'human'), false) as is_agent,
    case attributes.kind
        when 'bot' then 'set by an administrator'
        when 'human' then null
        else robots.reason
    end as robot_reason,
    addresses.authored_commits,
    addresses.first_used_at
from addresses
inner join reasons on addresses.address_number = reasons.address_number
left join robots on addresses.address_number = robots.address_number
left join attributes on reasons.developer_id = attributes.developer_id
