-- Sums of daily work by scope and period, in two steps, because counting distinct people in one is slower.

with days as (
    {{ days_of_summaries() }}
),

{% for days in ['fct_daily', 'fct_team_daily'] -%}
{{ days }} as (
    select * from {{ ref(days) }}
    where not is_bot and delivered_on >= (select min(days.day) from days)
),

{% endfor -%}
{% set measures = ['etv_micro', 'ai_etv_micro', 'roadmap_etv_micro', 'commits', 'ai_commits', 'points_micro', 'taken_back_points_micro'] -%}
worked as (
    {% for kind, id, rows, condition in [
        ('ORGANIZATION', "'" ~ var('organization_id') ~ "'", 'fct_daily', 'not is_sandbox'),
        ('REPOSITORY', 'repository_id', 'fct_daily', 'true'),
        ('TEAM', 'team_id', 'fct_team_daily', 'not is_sandbox')
    ] -%}
    select
        '{{ kind }}' as scope_kind,
        {{ id }} as scope_id,
        delivered_on,
        developer_id,
        {% for category in categories() -%}
        sum(case when category = '{{ category }}' then etv_micro else 0 end) as {{ category }}_etv_micro,
        {% endfor -%}
        {% for measure in measures -%}
        sum({{ measure }}) as {{ measure }}{{ ',' if not loop.last }}
        {% endfor -%}
    from {{ rows }}
    where {{ condition }}
    group by {{ id ~ ', ' if id.endswith('_id') else '' }}delivered_on, developer_id
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

{% set sums = [] -%}
{% for category in categories() %}{% do sums.append(category ~ '_etv_micro') %}{% endfor -%}
{% set sums = sums + measures -%}
by_developer as (
    select
        worked.scope_kind,
        worked.scope_id,
        days.period,
        days.number,
        worked.developer_id,
        {% for measure in sums -%}
        sum(worked.{{ measure }}) as {{ measure }}{{ ',' if not loop.last }}
        {% endfor %}
    from worked
    inner join days on worked.delivered_on = days.day
    group by worked.scope_kind, worked.scope_id, days.period, days.number, worked.developer_id
)

select
    scope_kind,
    scope_id,
    period,
    number,
    cast(count(*) as integer) as people,
    {% for measure in sums -%}
    cast(sum({{ measure }}) as bigint) as {{ measure }}{{ ',' if not loop.last }}
    {% endfor %}
from by_developer
group by scope_kind, scope_id, period, number
