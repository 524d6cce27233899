-- Anthropic's older report has the tokens of every key, those of Claude Code included. Of a model that other reports of the
-- same organization have on the day, the keys keep the rest of the tokens, each in proportion to its own. A key that Claude
-- Code made for a person who is known keeps its tokens: for each person and day one report counts.
-- A number beyond all measure stands at the largest one.
{%- set numbers = usage_columns('tokens') + ['amount_nano'] + usage_columns('activity') + usage_columns('totals') %}
{%- set kinds = {
    'input': ['input_tokens'],
    'read': ['cache_read_tokens'],
    'write': ['cache_write_5m_tokens', 'cache_write_1h_tokens'],
    'output': ['output_tokens']
} %}
{%- set reports = [
    'keys', 'api', 'made_keys', 'keys_of_people', 'console_keys', 'console_people', 'analysed_keys', 'analysed_people'
] %}

with usage as (
    select * from {{ ref('stg_ai_tools__usage') }}
),

names as (
    select * from {{ ref('stg_prices__model_names') }}
),

tied as (
    select * from {{ ref('int_ai_usage__addresses') }}
),

measured as (
    select
        connection_id,
        connection_kind,
        provider_id,
        tool,
        used_on,
        account_id,
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
            when measured.connection_kind = 'CLAUDE_CODE'
                then case when measured.api_key_name is null then 'console_people' else 'console_keys' end
            when measured.connection_kind <> 'ANTHROPIC' then null
            when measured.product = 'messages' and measured.tool = 'claude_code'
                then case when tied.words is null then 'made_keys' else 'keys_of_people' end
            when measured.product = 'messages' then 'keys'
            -- What names nobody stays with the keys: its bill counts where no key has the model.
            when coalesce(measured.actor_email, measured.actor_id, measured.api_key_name) is null then null
            when measured.tool = 'anthropic_api' then 'api'
            when measured.tool = 'claude_code'
                then case when measured.api_key_name is null then 'analysed_people' else 'analysed_keys' end
        end as reported
    from measured
    left join names on measured.model = names.model
    left join tied on tied.scope = 'ANTHROPIC' and tied.naming = 'id' and measured.actor_id = tied.words
),

-- Where one report does not say whose usage it is, all of the day and model may be of one organization.
placed as (
    select
        *,
        case
            when count(*) over days = count(account_id) over days then account_id
            else ''
        end as account
    from named
    where reported is not null
    window days as (partition by used_on, name)
),

summed as (
    select
        used_on,
        name,
        account,
        {%- for kind, columns in kinds.items() %}
        {%- for reported in reports %}
        {{ capped_sum(
            "case when reported = '" ~ reported ~ "' then coalesce(" ~ columns | join(', 0) + coalesce(') ~ ', 0) else 0 end'
        ) }} as {{ kind }}_of_{{ reported }},
        {%- endfor %}
        {%- endfor %}
        bool_or(reported not in ('keys', 'made_keys')) as has_others
    from placed
    group by used_on, name, account
),

rests as (
    select
        used_on,
        name,
        account,
        {%- for kind in kinds %}
        {{ kind }}_of_keys,
        {{ kind }}_of_made_keys,
        -- Both kinds of analytics have the same Claude Code. People of the Console have keys that Claude Code made, unless
        -- the report does not tell them apart.
        greatest(
            {{ kind }}_of_keys - {{ kind }}_of_api - greatest({{ kind }}_of_console_keys, {{ kind }}_of_analysed_keys)
            - greatest({{ kind }}_of_console_people - {{ kind }}_of_made_keys - {{ kind }}_of_keys_of_people, 0),
            0
        ) as {{ kind }}_rest_of_keys,
        greatest(
            {{ kind }}_of_made_keys - greatest(
                greatest({{ kind }}_of_console_people, {{ kind }}_of_analysed_people) - {{ kind }}_of_keys_of_people, 0
            ),
            0
        ) as {{ kind }}_rest_of_made_keys{{ ',' if not loop.last }}
        {%- endfor %}
    from summed
    where has_others
),

shared as (
    select
        placed.connection_kind,
        placed.provider_id,
        {%- for kind, columns in kinds.items() %}
        {%- set last_kind = loop.last %}
        {%- for column in columns %}
        case placed.reported
            {%- for reported in ['keys', 'made_keys'] %}
            {%- set whole = 'rests.' ~ kind ~ '_of_' ~ reported %}
            when '{{ reported }}'
                then
                    case
                        when {{ whole }} > 0
                            then cast({{ wide_ratio(
                                wide('placed.' ~ column) ~ ' * rests.' ~ kind ~ '_rest_of_' ~ reported, wide(whole)
                            ) }} as bigint)
                        else placed.{{ column }}
                    end
            {%- endfor %}
        end as kept_{{ column }}{{ ',' if not (last_kind and loop.last) }}
        {%- endfor %}
        {%- endfor %}
    from placed
    inner join rests
        on placed.used_on = rests.used_on and placed.name = rests.name and placed.account = rests.account
    where placed.reported in ('keys', 'made_keys')
)

select
    named.connection_id,
    named.connection_kind,
    named.provider_id,
    named.tool,
    named.used_on,
    named.actor_email,
    named.actor_login,
    named.actor_id,
    named.actor_name,
    named.api_key_name,
    {{ named_columns(usage_columns('kinds'), 'named') }},
    named.requests,
    {%- for column in usage_columns('tokens')[1:] %}
    case when shared.provider_id is null then named.{{ column }} else shared.kept_{{ column }} end as {{ column }},
    {%- endfor %}
    {{ named_columns(usage_columns('money') + usage_columns('activity') + usage_columns('totals'), 'named') }},
    named.adoption_phase,
    named.is_active,
    named.is_total,
    coalesce(named.reported in ('keys', 'made_keys', 'keys_of_people'), false) as is_of_every_key
from named
left join shared on named.connection_kind = shared.connection_kind and named.provider_id = shared.provider_id
