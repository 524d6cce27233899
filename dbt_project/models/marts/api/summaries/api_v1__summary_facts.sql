-- What a summary may say, each a fact with an id that sentences cite. Numbers are those of the published figures of the same
-- scope and period.

with periods as (
    select * from {{ ref('dim_summary_periods') }}
),

buckets as (
    select * from {{ ref('fct_summary_buckets') }}
),

performance as (
    select
        upper(entity_kind) as scope_kind,
        entity_id as scope_id,
        period,
        period_start,
        cast(round(performance * 1000000) as bigint) as performance_micro
    from {{ ref('api_v1__performance') }}
    where entity_kind <> 'developer'
),

objectives as (
    select count(*) > 0 as has_objectives
    from {{ ref('fct_check_subjects') }}
    where subject_type = 'objective'
),

-- Periods without work count too, from the first with work on.
begun as (
    select
        scope_kind,
        scope_id,
        period,
        max(number) as first_number
    from buckets
    group by scope_kind, scope_id, period
),

{% set sums = ['etv_micro', 'ai_etv_micro', 'roadmap_etv_micro', 'commits', 'ai_commits', 'people'] -%}
{% for category in categories() %}{% do sums.append(category ~ '_etv_micro') %}{% endfor -%}
scopes as (
    select
        begun.scope_kind,
        begun.scope_id,
        periods.period,
        periods.number,
        periods.period_start,
        periods.is_told and (begun.scope_kind <> 'REPOSITORY' or buckets.people is not null) as is_told,
        objectives.has_objectives,
        {% for measure in sums -%}
        coalesce(buckets.{{ measure }}, 0) as {{ measure }},
        {% endfor -%}
        performance.performance_micro
    from begun
    inner join periods on begun.period = periods.period and begun.first_number >= periods.number
    cross join objectives
    left join buckets
        on
            begun.scope_kind = buckets.scope_kind
            and begun.scope_id = buckets.scope_id
            and periods.period = buckets.period
            and periods.number = buckets.number
    left join performance
        on
            begun.scope_kind = performance.scope_kind
            and begun.scope_id = performance.scope_id
            and periods.period = performance.period
            and periods.period_start = performance.period_start
),

measured as (
    {% for measure in summary_measures() -%}
    select
        scope_kind,
        scope_id,
        period,
        number,
        is_told,
        people,
        '{{ measure.form }}' as form,
        cast({{ measure.part }} as bigint) as part,
        cast({{ measure.whole }} as bigint) as whole,
        {{ fact(
            measure.kind, measure.key, position=measure.position, subject_type=measure.subject_type, subject_id=measure.key,
            unit="'" ~ measure.unit ~ "'", basis=measure.basis, note=measure.note, leave_out=['value_micro', 'previous_micro', 'low_micro', 'high_micro', 'people']
        ) }}
    from scopes
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

valued as (
    select
        *,
        case when form = 'ratio' then {{ share_micro('part', 'whole') }} else part end as value_micro
    from measured
),

ranged as (
    select
        *,
        lead(value_micro) over (partition by scope_kind, scope_id, period, fact_id order by number) as previous_micro,
        lead(people) over (partition by scope_kind, scope_id, period, fact_id order by number) as previous_people,
        count(value_micro) {{ periods_before(1, var('summary_usual_buckets')) }} as usual_buckets,
        min(value_micro) {{ periods_before(1, var('summary_usual_buckets')) }} as lowest_micro,
        max(value_micro) {{ periods_before(1, var('summary_usual_buckets')) }} as highest_micro
    from valued
),

-- Where the period before is shown too, it may be the work of fewer people.
told as (
    select
        *,
        case when usual_buckets >= {{ var('summary_usual_least') }} then lowest_micro end as low_micro,
        case when usual_buckets >= {{ var('summary_usual_least') }} then highest_micro end as high_micro,
        least(nullif(people, 0), nullif(previous_people, 0)) as fewest_people
    from ranged
    where is_told
),

moved as (
    select
        movements.*,
        told.scope_kind,
        told.scope_id,
        told.number,
        told.basis,
        told.fewest_people
    from {{ ref('api_v1__movements') }} as movements
    inner join periods on movements.period = periods.period and movements.period_start = periods.period_start
    inner join told
        on
            movements.entity_kind = lower(told.scope_kind)
            and movements.entity_id = told.scope_id
            and periods.period = told.period
            and periods.number = told.number
            and told.kind = 'etv'
),

facts as (
    select
        scope_kind,
        scope_id,
        period,
        number,
        {% for column in fact_columns() -%}
        {{ 'fewest_people as people' if column == 'people' else column }}{{ ',' if not loop.last }}
        {% endfor -%}
    from told
    where value_micro is not null or note is not null
    {% for cause in ['changes', 'mix', 'size', 'rework', 'value'] -%}
    union all
    select
        scope_kind,
        scope_id,
        period,
        number,
        {{ fact(
            'cause', "'" ~ cause ~ "'", position=loop.index, unit="'ETV'", value_micro=cause ~ '_micro', basis='basis',
            note="'" ~ cause.upper() ~ "'", people='fewest_people'
        ) }}
    from moved
    {% endfor -%}
    {% for part in ['deliveries', 'people', 'uncounted'] -%}
    union all
    select * from {{ ref('fct_summary_' ~ part) }}
    {% endfor %}
)

select
    facts.scope_kind,
    facts.scope_id,
    facts.period,
    periods.period_start,
    periods.period_end,
    periods.is_draft,
    {% for column in fact_columns() -%}
    facts.{{ column }},
    {% endfor -%}
    '{{ var("calculation_version") }}' as calculation_version
from facts
inner join periods on facts.period = periods.period and facts.number = periods.number
inner join scopes
    on
        facts.scope_kind = scopes.scope_kind
        and facts.scope_id = scopes.scope_id
        and facts.period = scopes.period
        and facts.number = scopes.number
where scopes.is_told
