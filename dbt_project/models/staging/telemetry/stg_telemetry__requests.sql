with source as (
    select * from {{ source('telemetry', 'requests') }}
),

renamed as (
    select
        event_key,
        token_id,
        lower(token_email) as token_email,
        received_at,
        happened_at,
        tool,
        service_name,
        service_version,
        session_id,
        lower(user_email) as user_email,
        user_account,
        user_id,
        organization_ref,
        model,
        effort,
        speed,
        service_tier,
        query_source,
        requests,
        input_tokens,
        cache_read_tokens,
        cache_write_tokens,
        output_tokens,
        reasoning_tokens,
        cost_nano,
        duration_ms,
        repository_ref,
        branch,
        trace_id,
        is_error
    from source
),

-- A batch that was sent again has the same keys. The first sending counts.
numbered as (
    select
        *,
        row_number() over (partition by event_key order by received_at, token_id) as sending
    from renamed
),

-- A session that another one wraps reports its requests under two services in one trace. The name of the wrapper ends in
-- chat, and sorts after the other ones here.
once as (
    select
        *,
        min(case when service_name like '%-chat' then '~' else '' end || coalesce(service_name, ''))
            over (partition by trace_id) as chosen_service,
        case when service_name like '%-chat' then '~' else '' end || coalesce(service_name, '') as own_service
    from numbered
    where sending = 1
),

chosen as (
    select
        event_key,
        token_id,
        token_email,
        received_at,
        happened_at,
        tool,
        service_name,
        service_version,
        session_id,
        user_email,
        user_account,
        user_id,
        organization_ref,
        model,
        effort,
        speed,
        service_tier,
        query_source,
        requests,
        input_tokens,
        cache_read_tokens,
        cache_write_tokens,
        output_tokens,
        reasoning_tokens,
        cost_nano,
        duration_ms,
        repository_ref,
        branch,
        trace_id,
        is_error
    from once
    where trace_id is null or own_service = chosen_service
)

select * from chosen
