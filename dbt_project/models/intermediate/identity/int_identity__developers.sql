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
),

-- A person who once committed under the name of a bot stays a person: most commits decide.
robots as (
    select
        reasons.developer_id,
        bool_and(addresses.is_robot)
        or 2 * sum(case when addresses.is_robot then addresses.authored_commits else 0 end)
        > sum(addresses.authored_commits) as is_robot
    from reasons
    inner join addresses on reasons.address_number = addresses.address_number
    group by reasons.developer_id
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
        else robots.is_robot
    end as is_robot,
    robots.is_robot and addresses.is_agent and (kinds.kind is null or kinds.kind <> 'human') as is_agent,
    case
        when kinds.kind = 'bot' then 'set by an administrator'
        when kinds.kind is null and robots.is_robot then addresses.robot_reason
    end as robot_reason,
    addresses.is_program_name,
    addresses.common_row,
    addresses.authored_commits,
    addresses.first_used_at
from addresses
inner join reasons on addresses.address_number = reasons.address_number
inner join robots on reasons.developer_id = robots.developer_id
left join kinds on reasons.developer_id = kinds.developer_id
