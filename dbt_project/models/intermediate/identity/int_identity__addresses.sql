-- Every name and address that commits use, with the facts in the text itself: the login of a host, a bot.

with commits as (
    select * from {{ ref('int_commits') }}
),

coauthors as (
    select * from {{ ref('int_commit_coauthors') }}
),

-- Authors of the source commits of a squash.
source_people as (
    select
        squashes.commit_sha,
        squashes.repository_id,
        people.name,
        people.address
    from {{ ref('int_pull_requests__commits') }} as squashes
    inner join {{ ref('int_pull_requests__people') }} as people on squashes.pull_request_id = people.pull_request_id
    where squashes.how = 'squash'
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

generic as (
    select * from {{ ref('generic_identities') }}
),

members as (
    select distinct mailbox_id
    from {{ ref('stg_control__member_mailboxes') }}
),

-- The names of repositories and of their owners, word by word: "pytest bot" is a robot of pytest. The path of a local
-- clone may have the name of a person.
houses as (
    select distinct
        {{ replaced(
            "lower(concat('/', name, '/', case when origin like '/%' or origin like 'file:%' then '' else "
            ~ first_match('origin', pattern_text('[^/:]*[/:][^/:]*$')) ~ " end, '/'))",
            pattern_text('[^a-z0-9]+'), "'/'"
        ) }} as words
    from {{ ref('int_repositories') }}
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

called_bot as (
    select
        fields.address_number,
        fields.local_part,
        {{ first_match('fields.value', pattern_text('^[^ ]+')) }} as first_word,
        patterns.reason
    from fields
    inner join patterns on fields.field = patterns.field and patterns.kind = 'last_word'
    where right(fields.value, length(patterns.value) + 1) = concat(' ', patterns.value)
),

matches as (
    select
        fields.address_number,
        0 as is_agent,
        case when fields.field in ('name', 'written_name') then 1 else 0 end as is_by_name,
        patterns.reason
    from fields
    inner join patterns on fields.field = patterns.field and patterns.kind <> 'last_word'
    where {{ is_sign_of_bot('patterns', 'fields.value') }}
    union all
    -- Pieter Bot writes from pieter.bot@….
    select
        address_number,
        0 as is_agent,
        1 as is_by_name,
        reason
    from called_bot
    where position(first_word in local_part) = 0
    union all
    select
        called_bot.address_number,
        0 as is_agent,
        1 as is_by_name,
        'a bot named after a repository or its owner' as reason
    from called_bot
    inner join houses on position(concat('/', called_bot.first_word, '/') in houses.words) > 0
    where length(called_bot.first_word) > 2
    union all
    select
        addresses.address_number,
        1 as is_agent,
        0 as is_by_name,
        concat('account of the AI agent ', agents.tool) as reason
    from addresses
    inner join agents on addresses.address = agents.value and agents.signal = 'address'
    union all
    select
        addresses.address_number,
        1 as is_agent,
        0 as is_by_name,
        concat('account of the AI agent ', agents.tool) as reason
    from addresses
    inner join agents on agents.signal = 'address_form'
    where {{ contains_and_matches('addresses.address', 'agents.value', 'agents.pattern') }}
    union all
    select
        addresses.address_number,
        1 as is_agent,
        1 as is_by_name,
        concat('named after a model of the AI agent ', agents.tool) as reason
    from addresses
    inner join agents on agents.signal = 'name_form'
    where {{ contains_and_matches('addresses.name', 'agents.value', 'agents.pattern', lowered='lower(addresses.name)') }}
    union all
    select
        addresses.address_number,
        0 as is_agent,
        0 as is_by_name,
        concat('the Git host says that the account ', accounts.login, ' is a bot') as reason
    from addresses
    inner join accounts on addresses.address = accounts.address
    where accounts.is_bot
),

signs as (
    select
        address_number,
        max(is_agent) as is_agent,
        min(is_by_name) as is_by_name,
        coalesce(min(case when is_agent = 1 then reason end), min(reason)) as reason
    from matches
    group by address_number
),

boxed as (
    select
        addresses.*,
        logins.login,
        case when logins.login is null then addresses.address else concat(addresses.domain, ' ', logins.login) end as mailbox
    from addresses
    left join logins on addresses.address_number = logins.address_number
),

-- People commit under the names of their programs too. At an address or login with the name of a person, the name of a
-- program is a sign only if most commits have it. The name of a model is a sign only where nobody else can be meant.
mailboxes as (
    select
        addresses.mailbox,
        count(case when signs.address_number is null then 1 end) as names_of_people,
        2 * sum(case when signs.is_agent = 0 then addresses.authored_commits else 0 end)
        > sum(addresses.authored_commits) as is_mostly_robot
    from boxed as addresses
    left join signs on addresses.address_number = signs.address_number
    left join generic as parts on addresses.local_part = parts.value and parts.kind = 'local_part'
    left join generic as domains on addresses.domain = domains.value and domains.kind = 'domain'
    where addresses.address <> '' and addresses.domain <> '' and parts.value is null and domains.value is null
    group by addresses.mailbox
),

owned as (
    select distinct address
    from accounts
    where not is_bot
),

signed as (
    select
        signs.address_number,
        signs.is_agent = 1 as is_agent,
        signs.reason,
        case
            when signs.is_by_name = 0 then true
            when signs.is_agent = 0 then coalesce(mailboxes.names_of_people = 0 or mailboxes.is_mostly_robot, true)
            else
                coalesce(mailboxes.names_of_people = 0, true)
                and owned.address is null
                and members.mailbox_id is null
                and (addresses.login is null or {{ matches('addresses.login', pattern_text('claude|gpt')) }})
        end as is_robot
    from signs
    inner join boxed as addresses on signs.address_number = addresses.address_number
    left join mailboxes on addresses.mailbox = mailboxes.mailbox
    left join owned on addresses.address = owned.address
    left join members on addresses.mailbox_id = members.mailbox_id
)

select
    addresses.*,
    logins.login,
    case when logins.address_number is not null then concat('login:', addresses.domain, ' ', logins.login) end as login_key,
    case when logins.account is not null then concat('account:', addresses.domain, ' ', logins.account) end as account_key,
    coalesce(signed.is_robot, false) as is_robot,
    coalesce(signed.is_robot and signed.is_agent, false) as is_agent,
    case when signed.is_robot then signed.reason end as robot_reason,
    -- The name that a person gave to a program names nobody.
    coalesce(not signed.is_robot, false) as is_program_name,
    -- Agents are one row, and so is nobody.
    case
        when signed.is_robot and signed.is_agent then 'agents'
        when lower(addresses.name) in ('(no author)', '(no-author)') then 'nobody'
    end as common_row
from addresses
left join logins on addresses.address_number = logins.address_number
left join signed on addresses.address_number = signed.address_number
