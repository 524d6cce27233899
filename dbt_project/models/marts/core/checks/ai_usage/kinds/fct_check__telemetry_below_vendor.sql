-- On each Monday, the four weeks before it. The row is about the tool and names nobody.

with compared as (
    select
        tool,
        cast(date_trunc('week', used_on) as date) as week_start,
        vendor_tokens,
        telemetry_tokens
    from {{ ref('fct_ai_usage_reconciliation') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

weeks as (
    select
        tool,
        week_start,
        {{ capped_sum('vendor_tokens') }} as vendor_tokens,
        {{ capped_sum('telemetry_tokens') }} as telemetry_tokens
    from compared
    group by tool, week_start
),

windows as (
    {% for week in range(1, 5) -%}
    select
        tool,
        vendor_tokens,
        telemetry_tokens,
        {{ plus_days('week_start', 7 * week) }} as monday
    from weeks
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

sums as (
    select
        tool,
        monday,
        {{ capped_sum('vendor_tokens') }} as vendor_tokens,
        {{ capped_sum('telemetry_tokens') }} as telemetry_tokens
    from windows
    group by tool, monday
)

select
    'ai_tool' as subject_type,
    sums.tool as subject_id,
    cast(null as {{ dbt.type_string() }}) as repository_id,
    cast(null as {{ dbt.type_string() }}) as developer_id,
    {{ instant_of_local('organization.time_zone', 'cast(sums.monday as timestamp)') }} as started_at,
    {{ instant_of_local('organization.time_zone', 'cast(' ~ plus_days('sums.monday', 7) ~ ' as timestamp)') }} as ended_at,
    'reported' as ended_by,
    {{ bounded_ratio('sums.telemetry_tokens', 'sums.vendor_tokens', 100000000) }} as value_micro,
    {{ ai_tool_name('sums.tool') }} as subject_title
from sums
cross join organization
where sums.vendor_tokens >= {{ var('check_ai_tokens') }}
