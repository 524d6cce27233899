-- One row per address, with the developer that it belongs to.

with addresses as (
    select * from {{ ref('int_identity__addresses') }}
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

attributes as (
    select * from {{ ref('int_identity__attributes') }}
),

robots as (
    select * from {{ ref('int_identity__robots') }}
),

-- A split is the reason of all that it took out; a merge that of the first address of each unit that it brought.
reasons as (
    select
        found.*,
        merged.developer_id,
        min(found.address_number) over (partition by merged.developer_id) as developer_number,
        case
            when found.split_developer_id is not null then 'SPLIT'
            when
                merged.unit_number <> merged.first_unit_number
                and found.address_number = min(found.address_number) over (partition by merged.unit_number)
                then 'MERGED'
            else found.reason
        end as reason_now
    from found
    inner join units on coalesce(found.split_developer_id, found.found_developer_id) = units.unit_developer_id
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
