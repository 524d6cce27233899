-- Spend that is added to no other: that of nobody who is known, and amounts of other currencies.

with days as (
    {{ days_of_summaries(told=true) }}
),

usage as (
    select
        usage.*,
        cast(null as {{ dbt.type_string() }}) as repository_id,
        false as is_sandbox
    from {{ ref('fct_ai_usage') }} as usage
    left join {{ ref('dim_developers') }} as developers on usage.developer_id = developers.developer_id
    where usage.counts_cost and not coalesce(developers.is_bot, false)
),

scoped as (
    {{ rows_of_scopes('usage', ['used_on', 'developer_id', 'cost_currency', 'cost_nano']) }}
),

summed as (
    select
        scoped.scope_kind,
        scoped.scope_id,
        days.period,
        days.number,
        scoped.cost_currency,
        {{ cost_micro(capped_sum('scoped.cost_nano')) }} as spend_micro,
        -- What names nobody may be one person's.
        count(distinct coalesce(scoped.developer_id, '')) as people
    from scoped
    inner join days on scoped.used_on = days.day
    where
        scoped.scope_id is not null
        and (scoped.developer_id is null or scoped.cost_currency <> '{{ var("ai_cost_currency") }}')
    group by scoped.scope_kind, scoped.scope_id, days.period, days.number, scoped.cost_currency
),

numbered as (
    select
        *,
        row_number() over (
            partition by scope_kind, scope_id, period, number order by spend_micro desc, cost_currency
        ) as place
    from summed
    where cost_currency <> '{{ var("ai_cost_currency") }}'
)

select
    scope_kind,
    scope_id,
    period,
    number,
    {{ fact(
        'ai_spend_unattributed', unit='cost_currency', value_micro='spend_micro', people='people'
    ) }}
from summed
where cost_currency = '{{ var("ai_cost_currency") }}'
union all
select
    scope_kind,
    scope_id,
    period,
    number,
    {{ fact(
        'ai_spend_other', 'cost_currency', position='place', subject_type="'CURRENCY'", subject_id='cost_currency',
        unit='cost_currency', value_micro='spend_micro', people='people'
    ) }}
from numbered
