-- ETV per employed developer-week against the organization's mean over the 52 complete weeks before it begins.

with periods as (
    select
        period,
        period_start,
        {{ plus_days('period_start', -1) }} as day_before,
        period_end,
        is_draft
    from {{ ref('dim_periods') }}
),

employment as (
    select
        entity_kind,
        entity_id,
        min(first_on) as first_on,
        max(last_on) as last_on
    from {{ ref('fct_employment') }}
    group by entity_kind, entity_id
),

asked as (
    select
        employment.entity_kind,
        employment.entity_id,
        periods.*
    from employment
    inner join periods on employment.first_on <= periods.period_end and employment.last_on >= periods.period_start
),

ended as (
    {{ totals_until('asked', 'period_end', 'end') | indent(4) }}
),

measured as (
    {{ totals_until('ended', 'day_before', 'start') | indent(4) }}
),

-- A year is never compared with itself: the weeks end on the last Sunday before the period.
windows as (
    select
        'organization' as entity_kind,
        '{{ var("organization_id") }}' as entity_id,
        period,
        period_start,
        {{ plus_days("cast(date_trunc('week', period_start) as date)", -1) }} as window_end,
        {{ plus_days(
            "cast(date_trunc('week', period_start) as date)",
            -1 - 7 * var('reference_weeks')
        ) }} as window_before
    from periods
),

window_ends as (
    {{ totals_until('windows', 'window_end', 'end') | indent(4) }}
),

window_totals as (
    {{ totals_until('window_ends', 'window_before', 'start') | indent(4) }}
),

references_ as (
    select
        period,
        period_start,
        end_etv_micro - start_etv_micro as reference_etv_micro,
        end_developer_days - start_developer_days as reference_developer_days
    from window_totals
),

figures as (
    select
        measured.entity_kind,
        measured.entity_id,
        measured.period,
        measured.period_start,
        measured.period_end,
        measured.is_draft,
        measured.end_etv_micro - measured.start_etv_micro as etv_micro,
        measured.end_developer_days - measured.start_developer_days as developer_days,
        references_.reference_etv_micro,
        references_.reference_developer_days
    from measured
    inner join references_
        on measured.period = references_.period and measured.period_start = references_.period_start
),

ratios as (
    select
        *,
        case
            when
                etv_micro > 0 and developer_days > 0 and reference_etv_micro > 0
                and reference_developer_days >= 7 * {{ var('reference_min_developer_weeks') }}
                then
                    (cast(etv_micro as double) / developer_days)
                    / (cast(reference_etv_micro as double) / reference_developer_days)
        end as ratio
    from figures
)

select
    entity_kind,
    entity_id,
    period,
    period_start,
    period_end,
    is_draft,
    cast(etv_micro as bigint) as etv_micro,
    cast(developer_days / 7e0 as double) as developer_weeks,
    case
        when reference_developer_days > 0
            then cast({{ whole_ratio('reference_etv_micro * 7', 'reference_developer_days') }} as bigint)
    end as reference_etv_per_week_micro,
    cast(reference_developer_days / 7e0 as double) as reference_developer_weeks,
    100 * ratio / (1 + ratio) as performance,
    '{{ var("calculation_version") }}' as calculation_version
from ratios
