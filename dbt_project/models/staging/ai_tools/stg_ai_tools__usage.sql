-- One connection lists the same row once; two connections of one kind may list it twice, such as a person in two
-- organizations of an enterprise, or a key that was entered again. Then the first connection counts.

with connections as (
    select
        connection_id,
        kind
    from {{ source('control', 'connections') }}
),

-- Rows of a connection that is not in the settings do not count: after a lost control database it was entered again.
source as (
    select
        usage.*,
        connections.kind as connection_kind
    from {{ source('ai_tools', 'usage') }} as usage
    inner join connections on usage.connection_id = connections.connection_id
),

deletions as (
    select
        connection_id,
        provider_id
    from {{ source('ai_tools', 'deletions') }}
    where table_name = 'usage'
),

versions as (
    select
        *,
        row_number() over (partition by connection_id, provider_id order by batch desc) as version
    from source
),

present as (
    select
        versions.*,
        row_number() over (
            partition by versions.connection_kind, versions.provider_id order by versions.connection_id
        ) as place
    from versions
    left join deletions
        on versions.connection_id = deletions.connection_id and versions.provider_id = deletions.provider_id
    where versions.version = 1 and deletions.provider_id is null
),

-- Anthropic's older report of messages has by key what its analytics have by person.
analysed as (
    select distinct
        connection_id,
        used_on
    from present
    where connection_kind = 'ANTHROPIC' and product <> 'messages'
),

told as (
    select present.*
    from present
    left join analysed
        on
            present.connection_kind = 'ANTHROPIC'
            and present.product = 'messages'
            and present.connection_id = analysed.connection_id
            and present.used_on = analysed.used_on
    where present.place = 1 and analysed.connection_id is null
),

renamed as (
    select
        connection_id,
        connection_kind,
        provider_id,
        tool,
        used_on,
        used_at,
        {{ compared_address('actor_email') }} as actor_email,
        lower(trim(actor_login)) as actor_login,
        trim(actor_id) as actor_id,
        trim(actor_name) as actor_name,
        trim(api_key_name) as api_key_name,
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
        upper(currency) as currency,
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
    from told
)

select * from renamed
