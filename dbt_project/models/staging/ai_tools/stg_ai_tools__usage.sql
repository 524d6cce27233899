with {{ present_rows_of_ai_tools('usage') }},

-- Anthropic's older report of messages has by key what its analytics have by person.
analysed as (
    select distinct
        connection_id,
        used_on
    from present
    where connection_kind = 'ANTHROPIC' and product <> 'messages'
),

told as (
    select present.*
    from present
    left join analysed
        on
            present.connection_kind = 'ANTHROPIC'
            and present.product = 'messages'
            and present.connection_id = analysed.connection_id
            and present.used_on = analysed.used_on
    where present.place = 1 and analysed.connection_id is null
)

select
    connection_id,
    connection_kind,
    provider_id,
    tool,
    used_on,
    used_at,
    trim(account_id) as account_id,
    {{ actor_columns() }},
    trim(api_key_name) as api_key_name,
    {{ named_columns(usage_columns('kinds') + usage_columns('tokens')) }},
    amount_nano,
    upper(currency) as currency,
    basis,
    {{ named_columns(usage_columns('activity') + usage_columns('totals')) }},
    adoption_phase,
    is_active,
    coalesce(is_total, false) as is_total
from told
