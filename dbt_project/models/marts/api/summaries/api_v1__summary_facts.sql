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

pull_requests as (
    select * from {{ ref('fct_summary_pull_requests') }}
),

ai_usage as (
    select * from {{ ref('fct_summary_ai_usage') }}
),

organization as (
    select * from {{ ref('int_organization') }}
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

{% set scope = 'scope_kind,\n        scope_id,\n        period,\n        number,' -%}
{% set sums = ['etv_micro', 'ai_etv_micro', 'roadmap_etv_micro', 'commits', 'ai_commits', 'people', 'points_micro',
    'taken_back_points_micro'] -%}
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
        performance.performance_micro,
        {% for column in [
            'merged_pull_requests', 'authors', 'pickup_hours_micro', 'pickup_pull_requests', 'cycle_hours_micro',
            'cycle_pull_requests'
        ] -%}
        pull_requests.{{ column }},
        {% endfor -%}
        ai_usage.ai_spend_micro,
        ai_usage.ai_people,
        ai_usage.ai_users,
        max(case when ai_usage.ai_people > 0 then periods.number end)
            over (partition by begun.scope_kind, begun.scope_id, periods.period) as first_used_number,
        max(case when pull_requests.merged_pull_requests > 0 then periods.number end)
            over (partition by begun.scope_kind, begun.scope_id, periods.period) as first_merged_number
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
    left join pull_requests
        on
            begun.scope_kind = pull_requests.scope_kind
            and begun.scope_id = pull_requests.scope_id
            and periods.period = pull_requests.period
            and periods.number = pull_requests.number
    left join ai_usage
        on
            begun.scope_kind = ai_usage.scope_kind
            and begun.scope_id = ai_usage.scope_id
            and periods.period = ai_usage.period
            and periods.number = ai_usage.number
),

{{ summary_values() }},

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

-- Of sums the mean, if each month has one, and of ratios the ratio of sums.
three_months as (
    select
        *,
        case
            when form = 'ratio' then {{ share_micro('part_before', 'whole_before') }}
            when parts_before = 3 then cast(round(part_before / 3.0) as bigint)
        end as mean_micro
    from told
    where period = 'month' and periods_before = 3 and form <> 'value'
),

four_quarters as (
    select
        told.scope_kind,
        told.scope_id,
        told.period,
        told.number,
        earlier.number - told.number as place,
        periods.period_start,
        earlier.value_micro,
        earlier.basis,
        earlier.people
    from told
    inner join valued as earlier
        on
            told.scope_kind = earlier.scope_kind
            and told.scope_id = earlier.scope_id
            and told.period = earlier.period
            and earlier.number between told.number + 1 and told.number + {{ var('summary_quarters_before') }}
    inner join periods on earlier.period = periods.period and earlier.number = periods.number
    where told.period = 'quarter' and told.kind = 'etv' and earlier.kind = 'etv'
),

{{ summary_checks() }},

{{ summary_capex() }},

facts as (
    select
        {{ scope }}
        {% for column in fact_columns() -%}
        {{ 'fewest_people as people' if column == 'people' else column }}{{ ',' if not loop.last }}
        {% endfor -%}
    from told
    where value_micro is not null or note is not null
    {% for cause in ['changes', 'mix', 'size', 'rework', 'value'] -%}
    union all
    select
        {{ scope }}
        {{ fact(
            'cause', "'" ~ cause ~ "'", position=loop.index, unit="'ETV'", value_micro=cause ~ '_micro', basis='basis',
            note="'" ~ cause.upper() ~ "'", people='fewest_people'
        ) }}
    from moved
    {% endfor -%}
    union all
    select
        {{ scope }}
        {{ fact(
            'three_months', 'fact_id', position='position', subject_type='subject_type', subject_id='subject_id',
            unit='unit', value_micro='mean_micro', basis='basis_before', people='people_before'
        ) }}
    from three_months
    where mean_micro is not null
    union all
    select
        {{ scope }}
        {{ fact(
            'etv_quarter', 'place', position='place', unit="'ETV'", value_micro='value_micro', on_date='period_start',
            basis='basis', people='nullif(people, 0)'
        ) }}
    from four_quarters
    union all
    select * from check_facts
    union all
    select * from capex_facts
    {% for part in ['deliveries', 'people', 'uncounted', 'fixes', 'objectives', 'ai_apart'] -%}
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
