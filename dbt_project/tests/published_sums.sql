{#-
  Tables that sum daily rows have the same totals as these rows. One query returns the differences of all tables; it
  must be empty. Tables of periods contain every row three times, by day, month and year.
-#}
{%- set totals -%}
{% for measure in var('measures') %}coalesce(sum({{ measure.name }}), 0) as {{ measure.name }}{{ ', ' if not loop.last }}{% endfor %}
{%- endset -%}
with daily as (
    select {{ totals }} from {{ ref('api_v1__daily') }}
),

team_daily as (
    select {{ totals }} from {{ ref('api_v1__team_daily') }}
)
{% for name in ['daily_by_developer', 'daily_by_repository', 'daily_totals'] %}
(select '{{ name }}' as name, * from daily except select '{{ name }}', {{ totals }} from {{ ref(name) }})
union all
{%- endfor %}
{%- for name in ['developer_periods', 'developer_team_periods', 'repository_periods', 'repository_team_periods', 'team_periods'] %}
{%- for period in ['day', 'month', 'year'] %}
(
    select '{{ name }} by {{ period }}', * from daily
    except
    select '{{ name }} by {{ period }}', {{ totals }} from {{ ref(name) }} where period = '{{ period }}'
)
union all
{%- endfor %}
{%- endfor %}
(select 'team_days', * from team_daily except select 'team_days', {{ totals }} from {{ ref('team_days') }})
