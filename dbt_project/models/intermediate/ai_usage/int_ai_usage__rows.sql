-- Every source of usage in one form. An actor who is no known developer keeps the words of the source.

with vendors as (
    select * from {{ ref('int_ai_usage__vendors') }}
),

telemetry as (
    select * from {{ ref('int_ai_usage__telemetry') }}
),

people as (
    select * from {{ ref('int_ai_usage__people') }}
),

tied as (
    select * from {{ ref('int_ai_usage__addresses') }}
),

-- What people decided about an actor comes before its address and login.
assigned as (
    select
        words as actor,
        developer_id
    from people
    where naming = 'decision'
),

addresses as (
    select
        words as address,
        developer_id
    from people
    where naming = 'address'
),

logins as (
    select
        words as login,
        developer_id
    from people
    where naming = 'login'
),

every as (
    select
        concat(connection_kind, ':', provider_id) as usage_id,
        -- The older report and the analytics of one vendor may have the same Claude Code.
        case when is_of_every_key and tool = 'claude_code' then 'ANTHROPIC KEYS' else connection_kind end as report,
        case when connection_kind = 'LITELLM' then 'proxy' else 'vendor' end as source,
        connection_id,
        connection_kind,
        tool,
        used_on,
        actor_email,
        actor_login,
        case when connection_kind = 'CLAUDE_CODE' then 'ANTHROPIC' else connection_kind end as scope,
        actor_id as own_id,
        coalesce(actor_id, api_key_name) as actor_key,
        connection_kind = 'LITELLM' as is_by_key,
        coalesce(actor_email, actor_login, actor_id) is null and api_key_name is not null as is_key_alone,
        coalesce(actor_name, actor_id, api_key_name) as actor_words,
        cast(null as {{ dbt.type_string() }}) as session_id,
        {{ named_columns(
            usage_columns('kinds') + usage_columns('tokens') + usage_columns('money') + usage_columns('activity')
            + usage_columns('totals')
        ) }},
        adoption_phase,
        is_active,
        is_total,
        is_of_every_key
    from vendors
    union all
    select
        concat('telemetry:', row_key) as usage_id,
        'TELEMETRY' as report,
        'telemetry' as source,
        cast(null as {{ dbt.type_string() }}) as connection_id,
        'TELEMETRY' as connection_kind,
        tool,
        used_on,
        -- The ingest token of a person says more than what a tool was set up with.
        coalesce(token_email, user_email) as actor_email,
        cast(null as {{ dbt.type_string() }}) as actor_login,
        tool as scope,
        user_key as own_id,
        user_key as actor_key,
        is_by_key,
        false as is_key_alone,
        user_key as actor_words,
        session_id,
        {{ named_columns(usage_columns('kinds') + usage_columns('tokens')) }},
        amount_nano,
        case when amount_nano is not null then 'USD' end as currency,
        case when amount_nano is not null then 'client_estimated' end as basis,
        {{ named_columns(usage_columns('activity')) }},
        {{ null_columns(usage_columns('totals')) }},
        cast(null as {{ dbt.type_string() }}) as adoption_phase,
        true as is_active,
        false as is_total,
        false as is_of_every_key
    from telemetry
),

-- A decision about the words of the source comes before the address that other rows tie to them.
known as (
    select
        every.*,
        coalesce(every.actor_email, ids.address, names.address) as tied_email
    from every
    left join tied as ids
        on every.scope = ids.scope and ids.naming in ('id', 'account') and every.own_id = ids.words
    left join tied as names
        on every.scope = names.scope and names.naming = 'login' and every.actor_login = names.words
),

decided as (
    select
        known.*,
        coalesce(told.actor, tied_ones.actor) as decided_actor,
        case when told.actor is not null then told.developer_id else tied_ones.developer_id end as decided_id
    from known
    left join assigned as told
        on lower(coalesce(known.actor_email, known.actor_login, known.actor_words)) = told.actor
    left join assigned as tied_ones on known.tied_email = tied_ones.actor
),

owned as (
    select
        decided.*,
        coalesce(decided.tied_email, decided.actor_login, decided.actor_words) as actor,
        decided.actor_login is not null and decided.tied_email is null and decided.decided_actor is null
        and logins.developer_id is null as is_unknown_login,
        decided.decided_id is not null
        or coalesce(decided.tied_email, decided.actor_login) is not null as is_named,
        decided.decided_actor is not null and decided.decided_id is null as is_shared,
        case
            when decided.decided_actor is not null then decided.decided_id
            else coalesce(addresses.developer_id, logins.developer_id)
        end as developer_id
    from decided
    left join addresses on decided.tied_email = addresses.address
    left join logins on decided.actor_login = logins.login
)

select
    usage_id,
    source,
    connection_id,
    connection_kind,
    report,
    tool,
    -- Codex reports over OpenAI's interface as well, where nothing names the tool.
    case when tool in ('codex', 'openai_api') then 'openai' else tool end as tool_family,
    used_on,
    developer_id,
    is_named,
    is_by_key,
    is_key_alone,
    is_unknown_login,
    is_shared,
    coalesce(developer_id, tied_email, actor_login, actor_key, '') as person_key,
    actor,
    session_id,
    {{ named_columns(
        usage_columns('kinds') + usage_columns('tokens') + usage_columns('money') + usage_columns('activity')
        + usage_columns('totals')
    ) }},
    adoption_phase,
    is_active,
    is_total,
    is_of_every_key,
    {{ is_capped(usage_columns('tokens') + ['amount_nano'] + usage_columns('activity') + usage_columns('totals')) }}
        as is_capped
from owned
