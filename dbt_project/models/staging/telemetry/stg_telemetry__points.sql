with source as (
    select * from {{ source('telemetry', 'points') }}
),

renamed as (
    select
        event_key,
        series,
        token_id,
        lower(token_email) as token_email,
        received_at,
        started_at,
        happened_at,
        is_cumulative,
        is_monotonic,
        tool,
        service_name,
        session_id,
        lower(user_email) as user_email,
        user_account,
        user_id,
        metric,
        model,
        language,
        value
    from source
),

-- A batch that was sent again has the same keys.
numbered as (
    select
        *,
        row_number() over (partition by event_key order by received_at) as sending
    from renamed
),

-- The point before of the same counter. A restarted process begins another counter at another start.
followed as (
    select
        *,
        lag(value) over (
            partition by series, started_at, is_cumulative
            order by happened_at, event_key
        ) as value_before
    from numbered
    where sending = 1
),

-- What a point adds. A counter that falls without a new start was restarted all the same.
increments as (
    select
        event_key,
        series,
        token_id,
        token_email,
        received_at,
        started_at,
        happened_at,
        is_cumulative,
        is_monotonic,
        tool,
        service_name,
        session_id,
        user_email,
        user_account,
        user_id,
        metric,
        model,
        language,
        value,
        case
            when not is_cumulative or value_before is null then value
            when is_monotonic and value < value_before then value
            else value - value_before
        end as increment
    from followed
)

select * from increments
