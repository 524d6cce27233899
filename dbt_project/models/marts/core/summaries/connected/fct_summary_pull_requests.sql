with days as (
    {{ days_of_summaries() }}
),

merged as (
    select * from {{ ref('fct_pull_requests') }}
    where state = 'merged' and merged_on is not null and not is_bot
),

scoped as (
    {{ rows_of_scopes('merged', [
        'merged_on', 'developer_id', 'pickup_working_hours_micro', 'cycle_working_hours_micro'
    ]) }}
)

select
    scoped.scope_kind,
    scoped.scope_id,
    days.period,
    days.number,
    count(*) as merged_pull_requests,
    cast(count(distinct scoped.developer_id) as integer) as authors,
    {% for measure in ['pickup', 'cycle'] -%}
    cast(round(median(scoped.{{ measure }}_working_hours_micro)) as bigint) as {{ measure }}_hours_micro,
    count(scoped.{{ measure }}_working_hours_micro) as {{ measure }}_pull_requests{{ ',' if not loop.last }}
    {% endfor %}
from scoped
inner join days on scoped.merged_on = days.day
group by scoped.scope_kind, scoped.scope_id, days.period, days.number
