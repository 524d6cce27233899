-- Usage of known developers by day. Of the money only one currency can be added up.

with usage as (
    select * from {{ ref('fct_ai_usage') }}
    where developer_id is not null
),

developers as (
    select * from {{ ref('dim_developers') }}
),

counted as (
    select
        used_on,
        developer_id,
        team_id,
        is_active,
        case when counts_cost and cost_currency = '{{ var("ai_cost_currency") }}' then cost_nano end as cost_nano,
        case
            when counts_tokens
                then
                    coalesce(input_tokens, 0)
                    + coalesce(cache_read_tokens, 0)
                    + coalesce(cache_write_5m_tokens, 0)
                    + coalesce(cache_write_1h_tokens, 0)
                    + coalesce(output_tokens, 0)
        end as tokens,
        case when counts_activity then sessions end as sessions,
        case when counts_activity then lines_suggested end as lines_suggested,
        case when counts_activity then lines_accepted end as lines_accepted
    from usage
)

select
    counted.used_on,
    counted.developer_id,
    counted.team_id,
    developers.is_bot,
    {{ capped_sum('counted.cost_nano') }} as usage_cost_nano,
    {{ capped_sum('counted.tokens') }} as usage_tokens,
    cast(max(case when counted.is_active then 1 else 0 end) as bigint) as usage_days,
    {{ capped_sum('counted.sessions') }} as usage_sessions,
    {{ capped_sum('counted.lines_suggested') }} as usage_lines_suggested,
    {{ capped_sum('counted.lines_accepted') }} as usage_lines_accepted
from counted
inner join developers on counted.developer_id = developers.developer_id
group by counted.used_on, counted.developer_id, counted.team_id, developers.is_bot
