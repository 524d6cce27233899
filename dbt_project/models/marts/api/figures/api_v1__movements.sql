-- The causes of a change of ETV since the period before, by logarithmic mean Divisia shares (Ang 2004), which leave
-- no remainder: per category ETV = file changes × share of the category × gross points per change × points kept × ETV
-- per point.

with periods as (
    select
        *,
        row_number() over (partition by period order by period_start) as number
    from {{ ref('dim_periods') }}
),

-- Joined by day, because a join on a truncated day compares each row with every period.
moments as (
    select
        period,
        number,
        {{ each(all_dates('period_start', 'period_end')) }} as moment
    from periods
),

days as (
    select
        period,
        number,
        cast(moment as date) as day
    from moments
),

daily as (
    select * from {{ ref('fct_daily') }}
    where not is_bot
),

team_daily as (
    select * from {{ ref('fct_team_daily') }}
    where not is_bot
),

entities as (
    {% for kind, id, days, condition in [
        ('organization', "'" ~ var('organization_id') ~ "'", 'daily', 'not is_sandbox'),
        ('developer', 'developer_id', 'daily', 'not is_sandbox'),
        ('repository', 'repository_id', 'daily', 'true'),
        ('team', 'team_id', 'team_daily', 'not is_sandbox')
    ] -%}
    select
        '{{ kind }}' as entity_kind,
        {{ id }} as entity_id,
        delivered_on,
        category,
        files,
        points_micro,
        points_micro + taken_back_points_micro as gross_micro,
        etv_micro
    from {{ days }}
    where {{ condition }}
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

by_day as (
    select
        entity_kind,
        entity_id,
        delivered_on,
        category,
        sum(files) as files,
        sum(points_micro) as points_micro,
        sum(gross_micro) as gross_micro,
        sum(etv_micro) as etv_micro
    from entities
    group by entity_kind, entity_id, delivered_on, category
),

cells as (
    select
        by_day.entity_kind,
        by_day.entity_id,
        days.period,
        days.number,
        by_day.category,
        cast(sum(by_day.files) as bigint) as files,
        cast(sum(by_day.points_micro) as bigint) as points_micro,
        cast(sum(by_day.gross_micro) as bigint) as gross_micro,
        cast(sum(by_day.etv_micro) as bigint) as etv_micro
    from by_day
    inner join days on by_day.delivered_on = days.day
    group by by_day.entity_kind, by_day.entity_id, days.period, days.number, by_day.category
),

-- Each cell is the current value of its period and the previous value of the next period.
sides as (
    {% for side, number in [('now', 'number'), ('then', 'number + 1')] -%}
    select
        entity_kind,
        entity_id,
        period,
        {{ number }} as number,
        category,
        {% for measure in ['files', 'points_micro', 'gross_micro', 'etv_micro'] -%}
        {{ measure if side == 'now' else '0' }} as {{ measure }}_now,
        {{ measure if side == 'then' else '0' }} as {{ measure }}_then{{ ',' if not loop.last }}
        {% endfor %}
    from cells
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

pairs as (
    select
        entity_kind,
        entity_id,
        period,
        number,
        category,
        {% for measure in ['files', 'points_micro', 'gross_micro', 'etv_micro'] -%}
        {% for side in ['now', 'then'] -%}
        cast(sum({{ measure }}_{{ side }}) as bigint) as {{ measure }}_{{ side }},
        {% endfor -%}
        {% endfor -%}
        cast(sum(sum(files_now)) over (partition by entity_kind, entity_id, period, number) as bigint) as all_now,
        cast(sum(sum(files_then)) over (partition by entity_kind, entity_id, period, number) as bigint) as all_then
    from sides
    group by entity_kind, entity_id, period, number, category
),

-- Logarithms need every factor on both sides. A category with work in only one period is a change of mix.
weighed as (
    select
        *,
        etv_micro_now - etv_micro_then as moved_micro,
        least(
            files_now, files_then, points_micro_now, points_micro_then, gross_micro_now, gross_micro_then,
            etv_micro_now, etv_micro_then
        ) > 0 as is_split,
        case
            when least(etv_micro_now, etv_micro_then) <= 0 then 0
            when etv_micro_now = etv_micro_then then cast(etv_micro_now as double)
            else
                (etv_micro_now - etv_micro_then)
                / (ln(cast(etv_micro_now as double)) - ln(cast(etv_micro_then as double)))
        end as weight
    from pairs
),

effects as (
    select
        *,
        {% for effect, part, whole in [
            ('mix', 'files', 'all'), ('size', 'gross_micro', 'files'), ('rework', 'points_micro', 'gross_micro'),
            ('value', 'etv_micro', 'points_micro')
        ] -%}
        case
            when is_split
                then cast(round(weight * (
                    ln(cast({{ part }}_now as double) / {{ whole }}_now)
                    - ln(cast({{ part }}_then as double) / {{ whole }}_then)
                )) as bigint)
            {% if effect == 'mix' -%}
            when all_now > 0 and all_then > 0 then moved_micro
            {% endif -%}
            else 0
        end as {{ effect }}_micro{{ ',' if not loop.last }}
        {% endfor %}
    from weighed
),

totals as (
    select
        entity_kind,
        entity_id,
        period,
        number,
        cast(sum(etv_micro_now) as bigint) as etv_micro,
        cast(sum(etv_micro_then) as bigint) as previous_etv_micro,
        cast(sum(moved_micro) as bigint) as moved_micro,
        {% for effect in ['mix', 'size', 'rework', 'value'] -%}
        cast(sum({{ effect }}_micro) as bigint) as {{ effect }}_micro{{ ',' if not loop.last }}
        {% endfor %}
    from effects
    group by entity_kind, entity_id, period, number
)

select
    totals.entity_kind,
    totals.entity_id,
    totals.period,
    periods.period_start,
    periods.period_end,
    periods.is_draft,
    totals.etv_micro,
    totals.previous_etv_micro,
    totals.moved_micro - totals.mix_micro - totals.size_micro - totals.rework_micro - totals.value_micro
        as changes_micro,
    totals.mix_micro,
    totals.size_micro,
    totals.rework_micro,
    totals.value_micro,
    '{{ var("calculation_version") }}' as calculation_version
from totals
inner join periods on totals.period = periods.period and totals.number = periods.number
where totals.number > 1
