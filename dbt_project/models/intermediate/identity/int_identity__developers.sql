-- One row per address, with the developer that it belongs to.

with addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

found as (
    select * from {{ ref('int_identity__groups') }}
),

known as (
    select * from {{ ref('int_identity__known_ids') }}
),

said as (
    {{ said_of_developers() | indent(4) }}
),

kinds as (
    select
        developer_id,
        max(value) as kind
    from said
    where attribute = 'kind' and place = 1
    group by developer_id
),

-- Every address that a split took out has the reason SPLIT; the first address of each unit that a merge joined has
-- MERGED.
reasons as (
    select
        found.*,
        known.developer_id,
        min(found.address_number) over (partition by known.developer_id) as developer_number,
        case
            when found.split_developer_id is not null then 'SPLIT'
            when
                known.unit_number <> known.first_unit_number
                and found.address_number = min(found.address_number) over (partition by known.unit_number)
                then 'MERGED'
            else found.reason
        end as reason_now
    from found
    inner join known on coalesce(found.split_developer_id, found.found_developer_id) = known.known_developer_id
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
    -- Decisions of people override automatic findings.
    case kinds.kind
        when 'bot' then true
        when 'human' then false
        else addresses.is_robot
    end as is_robot,
    addresses.is_agent and (kinds.kind is null or kinds.kind <> 'human') as is_agent,
    case kinds.kind
        when 'bot' then 'set by an administrator'
        when 'human' then null
        else addresses.robot_reason
    end as robot_reason,
    addresses.authored_commits,
    addresses.first_used_at
from addresses
inner join reasons on addresses.address_number = reasons.address_number
left join kinds on reasons.developer_id = kinds.developer_id
