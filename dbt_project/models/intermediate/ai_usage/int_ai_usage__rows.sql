-- Every source of usage in one form. An actor who is no known developer keeps the words of the source.

with vendors as (
    select * from {{ ref('stg_ai_tools__usage') }}
),

telemetry as (
    select * from {{ ref('int_ai_usage__telemetry') }}
),

people as (
    select * from {{ ref('int_ai_usage__people') }}
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
        case when connection_kind = 'LITELLM' then 'proxy' else 'vendor' end as source,
        connection_id,
        connection_kind,
        tool,
        used_on,
        actor_email,
        actor_login,
        coalesce(actor_id, api_key_name) as actor_key,
        connection_kind = 'LITELLM' as is_by_key,
        coalesce(actor_email, actor_login, actor_id) is null and api_key_name is not null as is_key_alone,
        coalesce(actor_name, actor_id, api_key_name) as actor_words,
        cast(null as varchar) as session_id,
        product,
        model,
        effort,
        speed,
        service_tier,
        requests,
        input_tokens,
        cache_read_tokens,
        cache_write_5m_tokens,
        cache_write_1h_tokens,
        output_tokens,
        amount_nano,
        currency,
        basis,
        sessions,
        lines_suggested,
        lines_accepted,
        lines_removed,
        edits_accepted,
        edits_rejected,
        commits,
        pull_requests,
        adoption_phase,
        is_active
    from vendors
    union all
    select
        concat('telemetry:', row_key) as usage_id,
        'telemetry' as source,
        cast(null as varchar) as connection_id,
        'TELEMETRY' as connection_kind,
        tool,
        used_on,
        -- The ingest token of a person says more than what a tool was set up with.
        coalesce(token_email, user_email) as actor_email,
        cast(null as varchar) as actor_login,
        user_key as actor_key,
        is_by_key,
        false as is_key_alone,
        user_key as actor_words,
        session_id,
        service_name as product,
        model,
        effort,
        speed,
        service_tier,
        requests,
        input_tokens,
        cache_read_tokens,
        cache_write_5m_tokens,
        cast(null as bigint) as cache_write_1h_tokens,
        output_tokens,
        amount_nano,
        case when amount_nano is not null then 'USD' end as currency,
        case when amount_nano is not null then 'client_estimated' end as basis,
        sessions,
        lines_suggested,
        lines_accepted,
        lines_removed,
        edits_accepted,
        edits_rejected,
        commits,
        pull_requests,
        cast(null as varchar) as adoption_phase,
        true as is_active
    from telemetry
),

owned as (
    select
        every.*,
        coalesce(every.actor_email, every.actor_login, every.actor_words) as actor,
        every.actor_login is not null and every.actor_email is null and assigned.actor is null
        and logins.developer_id is null as is_unknown_login,
        assigned.developer_id is not null
        or coalesce(every.actor_email, every.actor_login) is not null as is_named,
        assigned.actor is not null and assigned.developer_id is null as is_shared,
        case
            when assigned.actor is not null then assigned.developer_id
            else coalesce(addresses.developer_id, logins.developer_id)
        end as developer_id
    from every
    left join assigned
        on lower(coalesce(every.actor_email, every.actor_login, every.actor_words)) = assigned.actor
    left join addresses on every.actor_email = addresses.address
    left join logins on every.actor_login = logins.login
)

select
    usage_id,
    source,
    connection_id,
    connection_kind,
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
    coalesce(developer_id, actor_email, actor_login, actor_key, '') as person_key,
    actor,
    session_id,
    product,
    model,
    effort,
    speed,
    service_tier,
    requests,
    input_tokens,
    cache_read_tokens,
    cache_write_5m_tokens,
    cache_write_1h_tokens,
    output_tokens,
    amount_nano,
    currency,
    basis,
    sessions,
    lines_suggested,
    lines_accepted,
    lines_removed,
    edits_accepted,
    edits_rejected,
    commits,
    pull_requests,
    adoption_phase,
    is_active
from owned
