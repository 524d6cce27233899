-- Usage of known developers by day. Of the money only one currency can be added up.

with usage as (
    select * from {{ ref('fct_ai_usage') }}
    where developer_id is not null
),

developers as (
    select * from {{ ref('dim_developers') }}
)

select
    usage.used_on,
    usage.developer_id,
    usage.team_id,
    developers.is_bot,
    cast(sum(
        case when usage.counts_cost and usage.cost_currency = '{{ var("ai_cost_currency") }}' then usage.cost_nano end
    ) as bigint) as usage_cost_nano,
    cast(sum(
        case
            when usage.counts_tokens
                then
                    coalesce(usage.input_tokens, 0)
                    + coalesce(usage.cache_read_tokens, 0)
                    + coalesce(usage.cache_write_5m_tokens, 0)
                    + coalesce(usage.cache_write_1h_tokens, 0)
                    + coalesce(usage.output_tokens, 0)
        end
    ) as bigint) as usage_tokens,
    cast(max(case when usage.is_active then 1 else 0 end) as bigint) as usage_days,
    cast(sum(case when usage.counts_activity then usage.sessions end) as bigint) as usage_sessions,
    cast(sum(case when usage.counts_activity then usage.lines_suggested end) as bigint) as usage_lines_suggested,
    cast(sum(case when usage.counts_activity then usage.lines_accepted end) as bigint) as usage_lines_accepted
from usage
inner join developers on usage.developer_id = developers.developer_id
group by usage.used_on, usage.developer_id, usage.team_id, developers.is_bot
