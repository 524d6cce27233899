-- Computed cost: tokens by kind times the dated price of the model. Where only totals of a day are known, the mean
-- request decides the tier.
{%- set product -%}
    {%- for kind in ['input', 'cache_read', 'cache_write_5m', 'cache_write_1h', 'output'] -%}
        {{ wide(kind ~ '_count') }} * {{ kind }}_pico{{ ' + ' if not loop.last }}
    {%- endfor -%}
{%- endset %}

with usage as (
    select * from {{ ref('int_ai_usage__rows') }}
),

prices as (
    select * from {{ ref('stg_prices__model_prices') }}
),

names as (
    select * from {{ ref('stg_prices__model_names') }}
),

measured as (
    select
        *,
        input_tokens is not null or output_tokens is not null as has_tokens,
        coalesce(input_tokens, 0) as input_count,
        coalesce(cache_read_tokens, 0) as cache_read_count,
        coalesce(cache_write_5m_tokens, 0) as cache_write_5m_count,
        coalesce(cache_write_1h_tokens, 0) as cache_write_1h_count,
        coalesce(output_tokens, 0) as output_count
    from usage
),

sized as (
    select
        *,
        case
            when requests > 0
                then
                    {{ whole_ratio(
                        'input_count + cache_read_count + cache_write_5m_count + cache_write_1h_count', 'requests'
                    ) }}
        end as mean_request_tokens
    from measured
),

found as (
    select
        sized.*,
        names.common_model,
        prices.priced_model,
        prices.price_source,
        prices.input_pico,
        prices.cache_read_pico,
        prices.cache_write_5m_pico,
        prices.cache_write_1h_pico,
        prices.output_pico,
        prices.has_tiers and sized.mean_request_tokens is null as is_tier_unknown,
        case
            -- What the vendor bills needs no price.
            when sized.has_tokens and prices.input_pico is null and coalesce(sized.basis, '') <> 'billed'
                then coalesce(prices.reason, 'no model named')
        end as unpriced_reason
    from sized
    left join names on sized.model = names.model
    left join prices
        on
            sized.has_tokens
            and sized.model = prices.model
            and coalesce(sized.speed, '') = prices.speed
            and coalesce(sized.service_tier, '') = prices.service_tier
            and sized.used_on between prices.from_on and prices.to_on
            and coalesce(sized.mean_request_tokens, 0) > prices.tier_start
            and coalesce(sized.mean_request_tokens, 0) <= prices.tier_end
),

computed as (
    select
        *,
        case when input_pico is not null then {{ capped('(' ~ product ~ ')', wide(var('largest_usage')) ~ ' * 1000') }} end
            as cost_pico
    from found
),

priced as (
    select
        *,
        case when cost_pico is not null then {{ rounded_ratio('cost_pico', wide('1000')) }} end as computed_nano,
        -- What a proxy says of cached tokens is wrong in both directions, and a tool knows no contract. A vendor estimates
        -- by its list.
        cost_pico is not null
        and (
            amount_nano is null
            or source <> 'vendor'
            or (basis = 'vendor_estimated' and position('agreed price' in price_source) > 0)
        ) as is_computed
    from computed
)

select
    *,
    case when is_computed then computed_nano else amount_nano end as cost_nano,
    case when is_computed then 'computed' else basis end as cost_basis,
    case when is_computed then 'USD' else currency end as cost_currency
from priced
