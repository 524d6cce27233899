with keys as (
    select * from {{ ref('int_identity__keys') }}
),

links as (
    select
        address_number as member,
        key
    from keys
),

{{ connected_groups('links', rounds=8) }},

-- Why an address is in its group: the strongest thing that it shares with an address used earlier, or with any.
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
            + case keys.kind when 'same' then 1 when 'address' then 2 when 'account' then 3 when 'login' then 4 when 'mailmap' then 5 when 'name' then 6 else 7 end
        ) as strongest
    from keys
    inner join shared on keys.key = shared.key
    where shared.sharers > 1
    group by keys.address_number
)

select
    connected.member as address_number,
    connected.label as group_number,
    case
        when connected.member = connected.label then 'FIRST_USED'
        when reasons.strongest % 10 in (1, 2) then 'SAME_ADDRESS'
        when reasons.strongest % 10 in (3, 4) then 'SAME_LOGIN'
        when reasons.strongest % 10 = 5 then 'MAILMAP'
        when reasons.strongest % 10 = 6 then 'SAME_FULL_NAME'
        else 'NAME_IS_LOGIN'
    end as reason
from connected
left join reasons on connected.member = reasons.address_number
