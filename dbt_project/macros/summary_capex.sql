{#-
  CTEs ending with `capex_facts`: the preview of CapEx of months and quarters, and decisions that wait. They need the CTE
  `periods`.
-#}
{% macro summary_capex() -%}
{% set scope = 'scope_kind,\n        scope_id,\n        period,\n        number,' -%}
capex_periods as (
    select * from periods
    where period <> 'week'
),

capex_months as (
    select
        *,
        cast(null as {{ dbt.type_string() }}) as repository_id,
        false as is_sandbox
    from {{ ref('api_v1__capex') }}
),

capex_scoped as (
    {{ rows_of_scopes('capex_months', ['month', 'developer_id', 'hours', 'capex_hours', 'commits']) }}
),

capex_totals as (
    select
        capex_scoped.scope_kind,
        capex_scoped.scope_id,
        capex_periods.period,
        capex_periods.number,
        -- Hours without output have no share, as in the rows of CapEx.
        cast(
            sum(case when capex_scoped.capex_hours is not null then capex_scoped.hours end) * 1000000 as bigint
        ) as hours_micro,
        cast(coalesce(sum(capex_scoped.capex_hours), 0) * 1000000 as bigint) as capex_micro,
        cast(sum(capex_scoped.commits) as bigint) as commits,
        cast(count(distinct capex_scoped.developer_id) as integer) as people
    from capex_scoped
    inner join capex_periods on capex_scoped.month between capex_periods.period_start and capex_periods.period_end
    group by capex_scoped.scope_kind, capex_scoped.scope_id, capex_periods.period, capex_periods.number
),

capex_sums as (
    select
        totals.*,
        {{ share_micro('totals.capex_micro', 'totals.hours_micro') }} as share_micro,
        previous.capex_micro as previous_capex_micro,
        {{ share_micro('previous.capex_micro', 'previous.hours_micro') }} as previous_share_micro,
        least(totals.people, previous.people) as fewest_people
    from capex_totals as totals
    left join capex_totals as previous
        on
            totals.scope_kind = previous.scope_kind
            and totals.scope_id = previous.scope_id
            and totals.period = previous.period
            and totals.number + 1 = previous.number
    where totals.scope_id is not null
),

uncertain_commits as (
    select distinct
        scenarios.commit_sha,
        scenarios.month,
        scenarios.repository_id,
        scenarios.developer_id,
        false as is_sandbox,
        authors.team_id
    from {{ ref('fct_capex_scenarios') }} as scenarios
    left join {{ ref('int_teams__authors') }} as authors
        on scenarios.commit_sha = authors.commit_sha and scenarios.developer_id = authors.developer_id
    where scenarios.deviation_micro > 0
),

uncertain_scoped as (
    {{ rows_of_scopes('uncertain_commits', ['commit_sha', 'month', 'developer_id']) }}
),

uncertain_sums as (
    select
        uncertain_scoped.scope_kind,
        uncertain_scoped.scope_id,
        capex_periods.period,
        capex_periods.number,
        count(distinct uncertain_scoped.commit_sha) as commits,
        count(distinct uncertain_scoped.developer_id) as people
    from uncertain_scoped
    inner join capex_periods on uncertain_scoped.month between capex_periods.period_start and capex_periods.period_end
    group by uncertain_scoped.scope_kind, uncertain_scoped.scope_id, capex_periods.period, capex_periods.number
),

suggestions as (
    select count(*) as suggestions
    from {{ ref('api_v1__merge_suggestions') }}
),

capex_facts as (
    {% for measure, unit in [('capex', 'HOURS'), ('share', 'SHARE')] -%}
    {{ 'union all' if not loop.first }}
    select
        {{ scope }}
        {{ fact(
            'capex_hours' if measure == 'capex' else 'capex_share', unit="'" ~ unit ~ "'", value_micro=measure ~ '_micro',
            previous_micro='previous_' ~ measure ~ '_micro', basis='commits', note="'PREVIEW'", people='fewest_people'
        ) }}
    from capex_sums
    where commits > 0
    {% endfor -%}
    union all
    select
        {{ scope }}
        {{ fact(
            'decision', "'uncertain_commits'", unit="'COUNT'", value_micro=millionths('commits'), basis='commits',
            people='people'
        ) }}
    from uncertain_sums
    -- As the suggestions are at the build.
    union all
    select
        'ORGANIZATION' as scope_kind,
        '{{ var("organization_id") }}' as scope_id,
        periods.period,
        periods.number,
        {{ fact(
            'decision', "'merge_suggestions'", position='2', unit="'COUNT'",
            value_micro=millionths('suggestions.suggestions'), basis='suggestions.suggestions'
        ) }}
    from periods
    cross join suggestions
    where periods.period <> 'week' and periods.number <= 1 and suggestions.suggestions > 0
)
{%- endmacro %}
