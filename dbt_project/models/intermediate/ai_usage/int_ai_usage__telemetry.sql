{%- set grouped = [
    'tool', 'used_on', 'token_email', 'user_email', 'user_account', 'user_id', 'session_id', 'service_name'
] -%}
-- What tools report of themselves, summed for each session and day (UTC). Requests of one model stay apart by the tier of
-- their size, so that the mean request has the price of each.

with requests as (
    select
        *,
        cast({{ local_time("'UTC'", 'happened_at') }} as date) as used_on
    from {{ ref('stg_telemetry__requests') }}
),

points as (
    select
        *,
        cast({{ local_time("'UTC'", 'happened_at') }} as date) as used_on
    from {{ ref('stg_telemetry__points') }}
),

prices as (
    select * from {{ ref('stg_prices__model_prices') }}
),

tiered as (
    select
        requests.*,
        coalesce(prices.tier_start, -1) as tier_start
    from requests
    left join prices
        on
            requests.model = prices.model
            and coalesce(requests.speed, '') = prices.speed
            and coalesce(requests.service_tier, '') = prices.service_tier
            and requests.used_on between prices.from_on and prices.to_on
            and requests.input_tokens + requests.cache_read_tokens + requests.cache_write_tokens > prices.tier_start
            and requests.input_tokens + requests.cache_read_tokens + requests.cache_write_tokens <= prices.tier_end
),

summed as (
    select
        min(event_key) as first_key,
        {{ named_columns(grouped) }},
        model,
        effort,
        speed,
        service_tier,
        {{ capped_sum('requests') }} as requests,
        {{ capped_sum('input_tokens') }} as input_tokens,
        {{ capped_sum('cache_read_tokens') }} as cache_read_tokens,
        -- Tools do not tell how long a cache lasts.
        {{ capped_sum('cache_write_tokens') }} as cache_write_5m_tokens,
        cast(null as bigint) as cache_write_1h_tokens,
        {{ capped_sum('output_tokens') }} as output_tokens,
        {{ capped_sum('cost_nano') }} as amount_nano
    from tiered
    group by {{ named_columns(grouped) }}, model, effort, speed, service_tier, tier_start
),

counted as (
    select
        min(event_key) as first_key,
        {{ named_columns(grouped) }},
        {%- for metric in usage_columns('activity') + ['lines_added'] %}
        cast({{ capped("round(sum(case when metric = '" ~ metric ~ "' then increment end))") }} as bigint) as {{ metric }}
        {{- ',' if not loop.last }}
        {%- endfor %}
    from points
    group by {{ named_columns(grouped) }}
),

every as (
    select
        concat('requests:', first_key) as row_key,
        {{ named_columns(grouped) }},
        model,
        effort,
        speed,
        service_tier,
        {{ named_columns(usage_columns('tokens')) }},
        amount_nano,
        {{ null_columns(usage_columns('activity') + ['lines_added']) }}
    from summed
    union all
    select
        concat('points:', first_key) as row_key,
        {{ named_columns(grouped) }},
        {{ null_columns(['model', 'effort', 'speed', 'service_tier'], dbt.type_string()) }},
        {{ null_columns(usage_columns('tokens') + ['amount_nano']) }},
        {{ named_columns(usage_columns('activity') + ['lines_added']) }}
    from counted
)

select
    row_key,
    tool,
    used_on,
    token_email,
    user_email,
    coalesce(user_account, user_id) as user_key,
    coalesce(user_email, user_account) is null as is_by_key,
    session_id,
    service_name as product,
    model,
    effort,
    speed,
    service_tier,
    {{ named_columns(usage_columns('tokens')) }},
    amount_nano,
    {%- for metric in usage_columns('activity') %}
    {{ 'coalesce(lines_accepted, lines_added) as lines_accepted' if metric == 'lines_accepted' else metric }}
    {{- ',' if not loop.last }}
    {%- endfor %}
from every
