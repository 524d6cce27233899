with addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

patterns as (
    select * from {{ ref('bot_patterns') }}
),

agents as (
    select * from {{ ref('ai_signals') }}
    where is_account
),

fields as (
    select
        address_number,
        'name' as field,
        lower(name) as value
    from addresses
    union all
    select
        address_number,
        'email' as field,
        address as value
    from addresses
    union all
    select
        address_number,
        'local_part' as field,
        local_part as value
    from addresses
),

matches as (
    select
        fields.address_number,
        0 as is_agent,
        patterns.reason
    from fields
    inner join patterns
        on fields.field = patterns.field
    where
        case patterns.kind
            when 'equals' then fields.value = patterns.value
            when 'contains' then position(patterns.value in fields.value) > 0
            when 'ends_with' then right(fields.value, length(patterns.value)) = patterns.value
            when 'last_word' then right(fields.value, length(patterns.value) + 1) = concat(' ', patterns.value)
        end
    union all
    select
        addresses.address_number,
        1 as is_agent,
        concat('account of the AI agent ', agents.tool) as reason
    from addresses
    inner join agents on addresses.address = agents.value and agents.signal = 'address'
    union all
    select
        addresses.address_number,
        1 as is_agent,
        concat('account of the AI agent ', agents.tool) as reason
    from addresses
    inner join agents on agents.signal = 'address_form'
    where
        case
            when position(agents.value in addresses.address) > 0
                then {{ matches('addresses.address', 'agents.pattern') }}
            else false
        end
)

select
    address_number,
    max(is_agent) = 1 as is_agent,
    coalesce(min(case when is_agent = 1 then reason end), min(reason)) as reason
from matches
group by address_number
