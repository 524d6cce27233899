-- Anthropic's older report has the tokens of every key, those of Claude Code included. Of a model that Claude Code analytics
-- or the analytics of another connection report on the day, the keys keep the rest of the tokens, each in proportion to
-- its own.
-- A number beyond all measure stands at the largest one.
{%- set numbers = usage_columns('tokens') + ['amount_nano'] + usage_columns('activity') + usage_columns('totals') %}
{%- set kinds = {
    'input': ['input_tokens'],
    'read': ['cache_read_tokens'],
    'write': ['cache_write_5m_tokens', 'cache_write_1h_tokens'],
    'output': ['output_tokens']
} %}

with usage as (
    select * from {{ ref('stg_ai_tools__usage') }}
),

names as (
    select * from {{ ref('stg_prices__model_names') }}
),

measured as (
    select
        connection_id,
        connection_kind,
        provider_id,
        tool,
        used_on,
        actor_email,
        actor_login,
        actor_id,
        actor_name,
        api_key_name,
        {{ named_columns(usage_columns('kinds')) }},
        {%- for number in numbers %}
        {{ capped(number) }} as {{ number }},
        {%- endfor %}
        currency,
        basis,
        adoption_phase,
        is_active,
        is_total
    from usage
),

named as (
    select
        measured.*,
        coalesce(names.common_model, '') as name,
        case
            when measured.connection_kind = 'CLAUDE_CODE' then 'claude_code'
            when measured.connection_kind = 'ANTHROPIC' and measured.product = 'messages' then 'keys'
            -- What names nobody stays with the keys: its bill counts where no key has the model. Claude Code of a
            -- person may be that of a subscription, which the older report lacks.
            when measured.connection_kind = 'ANTHROPIC' and measured.tool = 'claude_code'
                then case when measured.api_key_name is not null then 'analysed_claude_code' end
            when
                measured.connection_kind = 'ANTHROPIC' and measured.tool = 'anthropic_api'
                and coalesce(measured.actor_email, measured.actor_id, measured.api_key_name) is not null
                then 'analysed_api'
        end as reported
    from measured
    left join names on measured.model = names.model
),

summed as (
    select
        used_on,
        name,
        {%- for kind, columns in kinds.items() %}
        {%- for reported in ['claude_code', 'analysed_claude_code', 'analysed_api', 'keys'] %}
        {{ capped_sum(
            "case when reported = '" ~ reported ~ "' then coalesce(" ~ columns | join(', 0) + coalesce(') ~ ', 0) else 0 end'
        ) }} as {{ kind }}_of_{{ reported }},
        {%- endfor %}
        {%- endfor %}
        bool_or(reported <> 'keys') as has_others
    from named
    where reported is not null
    group by used_on, name
),

rests as (
    select
        used_on,
        name,
        {%- for kind in kinds %}
        {{ kind }}_of_keys,
        -- Both kinds of analytics have the same Claude Code.
        greatest(
            {{ kind }}_of_keys - {{ kind }}_of_analysed_api
            - greatest({{ kind }}_of_claude_code, {{ kind }}_of_analysed_claude_code),
            0
        ) as {{ kind }}_rest{{ ',' if not loop.last }}
        {%- endfor %}
    from summed
    where has_others
),

shared as (
    select
        named.*,
        {%- for kind, columns in kinds.items() %}
        {%- set last_kind = loop.last %}
        {%- for column in columns %}
        case
            when rests.{{ kind }}_of_keys > 0
                then cast({{ wide_ratio(
                    wide('named.' ~ column) ~ ' * rests.' ~ kind ~ '_rest', wide('rests.' ~ kind ~ '_of_keys')
                ) }} as bigint)
            else named.{{ column }}
        end as kept_{{ column }}{{ ',' if not (last_kind and loop.last) }}
        {%- endfor %}
        {%- endfor %}
    from named
    left join rests on named.reported = 'keys' and named.used_on = rests.used_on and named.name = rests.name
)

select
    connection_id,
    connection_kind,
    provider_id,
    tool,
    used_on,
    actor_email,
    actor_login,
    actor_id,
    actor_name,
    api_key_name,
    {{ named_columns(usage_columns('kinds')) }},
    requests,
    {%- for column in usage_columns('tokens')[1:] %}
    kept_{{ column }} as {{ column }},
    {%- endfor %}
    {{ named_columns(usage_columns('money') + usage_columns('activity') + usage_columns('totals')) }},
    adoption_phase,
    is_active,
    is_total,
    coalesce(reported = 'keys', false) as is_of_every_key
from shared
