-- Every name and address that commits use, with the facts in the text itself: the login of a host, a bot.

with commits as (
    select * from {{ ref('int_commits') }}
),

coauthors as (
    select * from {{ ref('int_commit_coauthors') }}
),

source_people as (
    select * from {{ ref('int_pull_requests__people') }}
),

accounts as (
    select * from {{ ref('int_pull_requests__accounts') }}
),

patterns as (
    select * from {{ ref('bot_patterns') }}
),

agents as (
    select * from {{ ref('ai_signals') }}
    where is_account
),

uses as (
    select
        author_name as name,
        author_address as address,
        count(*) as authored,
        min(committed_at) as first_used_at
    from commits
    group by author_name, author_address
    union all
    select
        coauthors.name,
        coauthors.address,
        0 as authored,
        min(commits.committed_at) as first_used_at
    from coauthors
    inner join commits
        on coauthors.commit_sha = commits.commit_sha and coauthors.repository_id = commits.repository_id
    group by coauthors.name, coauthors.address
    union all
    -- Authors of the source commits of a squash.
    select
        source_people.name,
        source_people.address,
        0 as authored,
        min(commits.committed_at) as first_used_at
    from source_people
    inner join commits
        on source_people.commit_sha = commits.commit_sha and source_people.repository_id = commits.repository_id
    group by source_people.name, source_people.address
),

summed as (
    select
        name,
        address,
        cast(sum(authored) as bigint) as authored_commits,
        min(first_used_at) as first_used_at
    from uses
    group by name, address
),

digests as (
    select
        *,
        {{ compared_name('name') }} as compared_name,
        {{ uuid5_digest("'" ~ var('organization_id') ~ "'", "concat('mailbox:', address)") }} as mailbox_digest,
        {{ uuid5_digest(
            "'" ~ var('organization_id') ~ "'", "concat('address:', address, ' ', " ~ compared_name('name') ~ ")"
        ) }} as address_digest
    from summed
),

addresses as (
    select
        row_number() over (order by first_used_at, address, name) as address_number,
        {{ uuid5_of_digest('address_digest') }} as address_id,
        {{ uuid5_of_digest('mailbox_digest') }} as mailbox_id,
        name,
        address,
        compared_name,
        {{ first_match('address', pattern_text('^[^@]*')) }} as local_part,
        {{ first_match('address', pattern_text('@(.*)$'), 1) }} as domain,
        authored_commits,
        first_used_at
    from digests
),

fields as (
    select
        address_number,
        'name' as field,
        lower(name) as value,
        local_part
    from addresses
    union all
    select
        address_number,
        'written_name' as field,
        name as value,
        local_part
    from addresses
    union all
    select
        address_number,
        'email' as field,
        address as value,
        local_part
    from addresses
    union all
    select
        address_number,
        'local_part' as field,
        local_part as value,
        local_part
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
            when 'last_word'
                then
                    right(fields.value, length(patterns.value) + 1) = concat(' ', patterns.value)
                    -- Pieter Bot writes from pieter.bot@….
                    and position({{ first_match('fields.value', pattern_text('^[^ ]+')) }} in fields.local_part) = 0
            else {{ is_sign_of_bot('patterns', 'fields.value') }}
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
    where {{ contains_and_matches('addresses.address', 'agents.value', 'agents.pattern') }}
    union all
    select
        addresses.address_number,
        1 as is_agent,
        concat('named after a model of the AI agent ', agents.tool) as reason
    from addresses
    inner join agents on agents.signal = 'name_form'
    where {{ contains_and_matches('addresses.name', 'agents.value', 'agents.pattern', lowered='lower(addresses.name)') }}
    union all
    select
        addresses.address_number,
        0 as is_agent,
        concat('the Git host says that the account ', accounts.login, ' is a bot') as reason
    from addresses
    inner join accounts on addresses.address = accounts.address
    where accounts.is_bot
),

robots as (
    select
        address_number,
        max(is_agent) = 1 as is_agent,
        coalesce(min(case when is_agent = 1 then reason end), min(reason)) as reason
    from matches
    group by address_number
),

logins as (
    select
        address_number,
        {{ first_match('local_part', pattern_text('^(?:[0-9]+[+-])?(.+)$'), 1) }} as login,
        case
            when {{ matches('local_part', pattern_text('^[0-9]+[+-]')) }}
                then {{ first_match('local_part', pattern_text('^([0-9]+)[+-]'), 1) }}
        end as account
    from addresses
    where {{ matches('domain', pattern_text('^users\\.noreply\\.|^noreply\\.')) }}
)

select
    addresses.*,
    logins.login,
    case when logins.address_number is not null then concat('login:', addresses.domain, ' ', logins.login) end as login_key,
    case when logins.account is not null then concat('account:', addresses.domain, ' ', logins.account) end as account_key,
    robots.address_number is not null as is_robot,
    coalesce(robots.is_agent, false) as is_agent,
    robots.reason as robot_reason
from addresses
left join logins on addresses.address_number = logins.address_number
left join robots on addresses.address_number = robots.address_number
