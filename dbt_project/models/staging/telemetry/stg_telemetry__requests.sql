{%- set columns = [
    'event_key', 'token_id', 'token_email', 'received_at', 'happened_at', 'tool', 'service_name', 'service_version',
    'session_id', 'user_email', 'user_account', 'user_id', 'organization_ref', 'model', 'effort', 'speed', 'service_tier',
    'query_source', 'requests', 'input_tokens', 'cache_read_tokens', 'cache_write_tokens', 'output_tokens',
    'reasoning_tokens', 'cost_nano', 'duration_ms', 'repository_ref', 'branch', 'trace_id', 'is_error'
] -%}
with source as (
    select * from {{ source('telemetry', 'requests') }}
),

renamed as (
    select
        {%- for column in columns %}
        {{ 'lower(' ~ column ~ ') as ' ~ column if column.endswith('_email') else column }}{{ ',' if not loop.last }}
        {%- endfor %}
    from source
),

-- A batch that was sent again has the same keys. The first sending counts.
numbered as (
    select
        *,
        row_number() over (partition by event_key order by received_at, token_id) as sending
    from renamed
),

-- Copilot's editor reports the requests of a session that it wraps a second time, in the same trace. Other services of one
-- trace have requests of their own.
once as (
    select
        *,
        trace_id is not null and service_name = 'copilot-chat' as is_wrapper,
        bool_or(service_name <> 'copilot-chat') over (partition by trace_id) as has_wrapped
    from numbered
    where sending = 1
)

select {{ named_columns(columns) }}
from once
where not (coalesce(is_wrapper, false) and coalesce(has_wrapped, false))
