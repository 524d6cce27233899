with source as (
    select * from {{ source('telemetry', 'links') }}
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
        session_id,
        lower(user_email) as user_email,
        user_account,
        user_id,
        commit_sha
    from source
),

-- A batch that was sent again has the same keys.
numbered as (
    select
        *,
        row_number() over (partition by event_key order by happened_at, received_at) as sending
    from renamed
),

once as (
    select
        event_key,
        token_id,
        token_email,
        received_at,
        happened_at,
        tool,
        service_name,
        session_id,
        user_email,
        user_account,
        user_id,
        commit_sha
    from numbered
    where sending = 1
)

select * from once
