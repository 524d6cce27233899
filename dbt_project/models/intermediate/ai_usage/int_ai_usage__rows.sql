-- Every source of usage in one form. An actor who is no known developer keeps the words of the source.

with vendors as (
    select * from {{ ref('stg_ai_tools__usage') }}
),

developers as (
    select * from {{ ref('int_identity__developers') }}
),

accounts as (
    select * from {{ ref('int_pull_requests__logins') }}
),

-- After a split, one address may have names of two developers: most commits decide.
places as (
    select
        address,
        developer_id,
        row_number() over (partition by address order by authored_commits desc, developer_id) as place
    from developers
    where not is_robot and position('@' in address) > 1
),

addresses as (
    select
        address,
        developer_id
    from places
    where place = 1
),

-- GitHub gives an address to each account: `1234567+login@users.noreply.github.com`, formerly without the number.
given as (
    select
        lower({{ first_match(
            'address', pattern_text('^(?:[0-9]+[+])?([^@+]+)@users[.]noreply[.]github[.]com$'), 1
        ) }}) as login,
        developer_id
    from addresses
    where address like '%@users.noreply.github.com'
),

named as (
    select
        login,
        developer_id
    from given
    union all
    select
        login,
        developer_id
    from accounts
    where not is_bot
),

-- A login that stands for two developers stands for neither.
logins as (
    select
        login,
        min(developer_id) as developer_id
    from named
    group by login
    having count(distinct developer_id) = 1
)

select
    concat(vendors.connection_kind, ':', vendors.provider_id) as usage_id,
    case when vendors.connection_kind = 'LITELLM' then 'proxy' else 'vendor' end as source,
    vendors.connection_id,
    vendors.connection_kind,
    vendors.tool,
    -- Codex reports over OpenAI's interface as well, where nothing names the tool.
    case when vendors.tool in ('codex', 'openai_api') then 'openai' else vendors.tool end as tool_family,
    vendors.used_on,
    coalesce(addresses.developer_id, logins.developer_id) as developer_id,
    coalesce(
        addresses.developer_id, logins.developer_id, vendors.actor_email, vendors.actor_login, vendors.actor_id,
        vendors.api_key_name, ''
    ) as person_key,
    coalesce(
        vendors.actor_email, vendors.actor_login, vendors.actor_name, vendors.actor_id, vendors.api_key_name
    ) as actor,
    vendors.product,
    vendors.model,
    vendors.effort,
    vendors.speed,
    vendors.service_tier,
    vendors.requests,
    vendors.input_tokens,
    vendors.cache_read_tokens,
    vendors.cache_write_5m_tokens,
    vendors.cache_write_1h_tokens,
    vendors.output_tokens,
    vendors.amount_nano,
    vendors.currency,
    vendors.basis,
    vendors.sessions,
    vendors.lines_suggested,
    vendors.lines_accepted,
    vendors.lines_removed,
    vendors.edits_accepted,
    vendors.edits_rejected,
    vendors.commits,
    vendors.pull_requests,
    vendors.adoption_phase,
    vendors.is_active
from vendors
left join addresses on vendors.actor_email = addresses.address
left join logins on vendors.actor_login = logins.login
