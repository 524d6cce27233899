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
        tool,
        used_on,
        token_email,
        user_email,
        user_account,
        user_id,
        session_id,
        service_name,
        model,
        effort,
        speed,
        service_tier,
        cast(sum(requests) as bigint) as requests,
        cast(sum(input_tokens) as bigint) as input_tokens,
        cast(sum(cache_read_tokens) as bigint) as cache_read_tokens,
        cast(sum(cache_write_tokens) as bigint) as cache_write_5m_tokens,
        cast(sum(output_tokens) as bigint) as output_tokens,
        cast(sum(cost_nano) as bigint) as amount_nano
    from tiered
    group by
        tool, used_on, token_email, user_email, user_account, user_id, session_id, service_name, model, effort, speed,
        service_tier, tier_start
),

counted as (
    select
        min(event_key) as first_key,
        tool,
        used_on,
        token_email,
        user_email,
        user_account,
        user_id,
        session_id,
        service_name,
        {%- for metric in [
            'sessions', 'lines_suggested', 'lines_accepted', 'lines_added', 'lines_removed', 'edits_accepted',
            'edits_rejected', 'commits', 'pull_requests'
        ] %}
        cast(round(sum(case when metric = '{{ metric }}' then increment end)) as bigint) as {{ metric }}
        {{- ',' if not loop.last }}
        {%- endfor %}
    from points
    group by tool, used_on, token_email, user_email, user_account, user_id, session_id, service_name
)

select
    concat('requests:', first_key) as row_key,
    tool,
    used_on,
    token_email,
    user_email,
    coalesce(user_account, user_id) as user_key,
    coalesce(user_email, user_account) is null as is_by_key,
    session_id,
    service_name,
    model,
    effort,
    speed,
    service_tier,
    requests,
    input_tokens,
    cache_read_tokens,
    cache_write_5m_tokens,
    output_tokens,
    amount_nano,
    cast(null as bigint) as sessions,
    cast(null as bigint) as lines_suggested,
    cast(null as bigint) as lines_accepted,
    cast(null as bigint) as lines_removed,
    cast(null as bigint) as edits_accepted,
    cast(null as bigint) as edits_rejected,
    cast(null as bigint) as commits,
    cast(null as bigint) as pull_requests
from summed
union all
select
    concat('points:', first_key) as row_key,
    tool,
    used_on,
    token_email,
    user_email,
    coalesce(user_account, user_id) as user_key,
    coalesce(user_email, user_account) is null as is_by_key,
    session_id,
    service_name,
    cast(null as varchar) as model,
    cast(null as varchar) as effort,
    cast(null as varchar) as speed,
    cast(null as varchar) as service_tier,
    cast(null as bigint) as requests,
    cast(null as bigint) as input_tokens,
    cast(null as bigint) as cache_read_tokens,
    cast(null as bigint) as cache_write_5m_tokens,
    cast(null as bigint) as output_tokens,
    cast(null as bigint) as amount_nano,
    sessions,
    lines_suggested,
    coalesce(lines_accepted, lines_added) as lines_accepted,
    lines_removed,
    edits_accepted,
    edits_rejected,
    commits,
    pull_requests
from counted
