-- One source counts for each tool, person and day: the one that knows most of the money, the tokens, the activity. The
-- others stay, marked as not counted.

with usage as (
    select
        *,
        case source
            when 'vendor' then case when amount_nano is not null and basis = 'billed' then 1 else 2 end
            when 'telemetry' then 3
            else 4
        end as source_rank,
        coalesce({{ named_columns(usage_columns('activity')) }}) is not null as has_activity,
        source = 'vendor' and basis = 'billed' and person_key = '' and not has_tokens and not is_total as is_bill_of_nobody
    from {{ ref('int_ai_usage__priced') }}
),

members as (
    select * from {{ ref('int_teams__members') }}
),

ranked as (
    select
        *,
        concat(source_rank, report) as place,
        -- Requests that a plan includes are not billed, and have tokens like the billed ones of the vendor.
        concat(
            min(source_rank) over (partition by tool_family, person_key, used_on, report), report
        ) as kind_place,
        bool_or(source = 'vendor' and not is_total) over days as has_vendor,
        -- People behind a key that the vendor reports are in the report of the key.
        bool_or(source = 'vendor' and not is_named and not is_shared and not is_total) over days as has_keys,
        bool_or(source <> 'vendor' and is_named and is_by_key) over days as has_people_of_keys,
        bool_or(is_unknown_login and cost_nano is not null) over days as has_unknown_login,
        bool_or(not is_total and (has_activity or has_tokens or cost_nano is not null)) over days as has_people,
        bool_or(is_of_every_key and common_model is not null) over (partition by used_on, common_model) as has_every_key,
        bool_or(is_bill_of_nobody) over (partition by connection_kind, used_on) as has_bill,
        bool_or(is_bill_of_nobody) over models as has_bill_of_model,
        bool_or(is_key_alone and cost_nano is not null) over models as has_keys_of_model
    from usage
    window
        days as (partition by tool_family, used_on),
        models as (partition by connection_kind, used_on, common_model)
),

judged as (
    select
        *,
        case
            -- A total has the usage of all people, whatever source names them.
            when is_total then not has_people
            when source = 'vendor' then not is_shared or not has_people_of_keys
            -- What names nobody may be anybody's.
            when not is_named then not has_vendor
            -- A report of every key has those of Claude Code.
            when is_by_key then not has_keys and not (tool = 'claude_code' and has_every_key)
            else true
        end as is_eligible,
        -- A bill that names nobody has the money of keys. Usage of keys tells more, where the bill names the same model.
        case
            when is_bill_of_nobody then not has_keys_of_model
            when is_key_alone then not has_bill or has_bill_of_model
            -- Behind a login that nobody knows may be the very person whom telemetry names.
            when source = 'telemetry' then not has_unknown_login
            else true
        end as is_billed_once
    from ranked
),

chosen as (
    select
        *,
        min(case when is_eligible and is_billed_once and cost_nano is not null then place end)
            over (partition by tool_family, person_key, used_on) as cost_place,
        min(case when is_eligible and has_tokens then kind_place end)
            over (partition by tool_family, person_key, used_on) as token_place,
        min(case when is_eligible and has_activity then kind_place end)
            over (partition by tool_family, person_key, used_on) as activity_place
    from judged
)

select
    chosen.usage_id,
    chosen.source,
    chosen.connection_id,
    chosen.connection_kind,
    chosen.tool,
    chosen.used_on,
    chosen.developer_id,
    members.team_id,
    chosen.actor,
    chosen.session_id,
    {{ named_columns(usage_columns('kinds') + usage_columns('tokens'), 'chosen') }},
    chosen.common_model,
    chosen.cost_nano,
    chosen.cost_currency,
    chosen.cost_basis,
    chosen.computed_nano,
    chosen.priced_model,
    chosen.price_source,
    chosen.input_pico,
    chosen.cache_read_pico,
    chosen.cache_write_5m_pico,
    chosen.cache_write_1h_pico,
    chosen.output_pico,
    chosen.is_tier_unknown,
    chosen.unpriced_reason,
    {{ named_columns(usage_columns('activity') + usage_columns('totals'), 'chosen') }},
    chosen.adoption_phase,
    chosen.is_active,
    chosen.is_total,
    chosen.is_capped or {{ is_capped(['chosen.cost_nano']) }} as is_capped,
    chosen.is_eligible and chosen.is_billed_once and chosen.cost_nano is not null and chosen.place = chosen.cost_place
        as counts_cost,
    chosen.is_eligible and chosen.has_tokens and chosen.kind_place = chosen.token_place as counts_tokens,
    chosen.is_eligible and chosen.has_activity and chosen.kind_place = chosen.activity_place as counts_activity
from chosen
left join members
    on
        chosen.developer_id = members.developer_id
        and chosen.used_on between members.start_on and members.end_on
