-- What tools report of themselves beside the report of the vendor. Both are priced by the same table, so that a difference
-- of money is one of tokens.

with usage as (
    select
        *,
        input_count + cache_read_count + cache_write_5m_count + cache_write_1h_count + output_count as tokens,
        min(case when source = 'vendor' then connection_kind end)
            over (partition by tool_family, person_key, used_on) as vendor_kind
    from {{ ref('int_ai_usage__priced') }}
    where has_tokens and source in ('vendor', 'telemetry')
),

members as (
    select * from {{ ref('int_teams__members') }}
),

-- Before both reported, and after the last day of the vendor, there is nothing to compare.
spans as (
    select
        tool_family,
        greatest(
            min(case when source = 'vendor' then used_on end), min(case when source = 'telemetry' then used_on end)
        ) as first_on,
        max(case when source = 'vendor' then used_on end) as last_on
    from usage
    group by tool_family
    having bool_or(source = 'vendor') and bool_or(source = 'telemetry')
),

-- Two kinds of connections to one vendor may report the same tokens: one of them is compared.
compared as (
    select usage.*
    from usage
    inner join spans
        on usage.tool_family = spans.tool_family and usage.used_on between spans.first_on and spans.last_on
    where usage.source = 'telemetry' or usage.connection_kind = usage.vendor_kind
),

summed as (
    select
        tool_family,
        person_key,
        used_on,
        max(developer_id) as developer_id,
        max(actor) as actor,
        max(vendor_kind) as vendor_kind,
        {{ capped_sum("case when source = 'vendor' then tokens else 0 end") }} as vendor_tokens,
        {{ capped_sum("case when source = 'telemetry' then tokens else 0 end") }} as telemetry_tokens,
        {{ capped_sum("case when source = 'vendor' then computed_nano else 0 end") }} as vendor_nano,
        {{ capped_sum("case when source = 'telemetry' then computed_nano else 0 end") }} as telemetry_nano,
        bool_or(source = 'vendor' and tokens > 0 and computed_nano is null) as is_vendor_unpriced,
        bool_or(source = 'telemetry' and tokens > 0 and computed_nano is null) as is_telemetry_unpriced
    from compared
    group by tool_family, person_key, used_on
)

select
    summed.tool_family as tool,
    summed.person_key,
    summed.used_on,
    summed.developer_id,
    members.team_id,
    summed.actor,
    summed.vendor_kind,
    summed.vendor_tokens,
    summed.telemetry_tokens,
    summed.vendor_tokens - summed.telemetry_tokens as difference_tokens,
    case
        when summed.vendor_tokens > 0
            then {{ bounded_ratio('summed.telemetry_tokens', 'summed.vendor_tokens', 1000000) }}
    end as captured_micro,
    case when not summed.is_vendor_unpriced then summed.vendor_nano end as vendor_nano,
    case when not summed.is_telemetry_unpriced then summed.telemetry_nano end as telemetry_nano,
    case
        when not summed.is_vendor_unpriced and not summed.is_telemetry_unpriced
            then summed.vendor_nano - summed.telemetry_nano
    end as difference_nano
from summed
left join members
    on
        summed.developer_id = members.developer_id
        and summed.used_on between members.start_on and members.end_on
