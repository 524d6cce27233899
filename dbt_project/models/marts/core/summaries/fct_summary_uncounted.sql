-- What the numbers of a period do not contain, and what may still change.

with periods as (
    select * from {{ ref('dim_summary_periods') }}
    where is_told
),

days as (
    {{ days_of_summaries(told=true) }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

reasons as (
    select * from {{ ref('fct_zero_reason_days') }}
    where
        commits > 0
        and zero_reason in ('{{ var("summary_uncounted_reasons").keys() | join("', '") }}')
),

left_out as (
    {{ rows_of_scopes('reasons', ['delivered_on', 'developer_id', 'is_bot', 'zero_reason', 'commits']) }}
),

by_reason as (
    select
        left_out.scope_kind,
        left_out.scope_id,
        days.period,
        days.number,
        left_out.zero_reason,
        sum(left_out.commits) as commits,
        nullif(count(distinct case when not left_out.is_bot then left_out.developer_id end), 0) as people
    from left_out
    inner join days on left_out.delivered_on = days.day
    group by left_out.scope_kind, left_out.scope_id, days.period, days.number, left_out.zero_reason
),

provisional_commits as (
    select
        commits.commit_sha,
        commits.repository_id,
        commits.delivered_on,
        cast({{ local_time('organization.time_zone', 'commits.provisional_until') }} as date) as provisional_until,
        repositories.is_sandbox
    from {{ ref('fct_commits') }} as commits
    cross join organization
    inner join repositories on commits.repository_id = repositories.repository_id
    where commits.is_provisional and commits.is_counted
),

provisional_credits as (
    select
        commits.*,
        credits.developer_id,
        credits.etv_micro,
        authors.team_id
    from provisional_commits as commits
    inner join {{ ref('fct_commit_credits') }} as credits on commits.commit_sha = credits.commit_sha
    left join {{ ref('int_teams__authors') }} as authors
        on credits.commit_sha = authors.commit_sha and credits.developer_id = authors.developer_id
    where not credits.is_bot
),

provisional as (
    {{ rows_of_scopes(
        'provisional_credits', ['commit_sha', 'delivered_on', 'provisional_until', 'developer_id', 'etv_micro']
    ) }}
),

may_change as (
    select
        provisional.scope_kind,
        provisional.scope_id,
        days.period,
        days.number,
        sum(provisional.etv_micro) as etv_micro,
        max(provisional.provisional_until) as provisional_until,
        count(distinct provisional.commit_sha) as commits,
        count(distinct provisional.developer_id) as people
    from provisional
    inner join days on provisional.delivered_on = days.day
    group by provisional.scope_kind, provisional.scope_id, days.period, days.number
),

sandboxes as (
    select
        days.period,
        days.number,
        count(distinct daily.repository_id) as repositories,
        sum(daily.commits) as commits,
        count(distinct daily.developer_id) as people
    from {{ ref('fct_daily') }} as daily
    inner join days on daily.delivered_on = days.day
    where daily.is_sandbox and not daily.is_bot
    group by days.period, days.number
),

-- As the settings and the last reading are at the build.
of_settings as (
    select
        count(case when is_excluded then 1 end) as excluded_repositories,
        count(case when not is_excluded and not is_disabled and head_sha is null then 1 end) as unread_repositories,
        count(case when not is_excluded and (is_shallow or is_partial) then 1 end) as incomplete_repositories
    from repositories
)

select
    scope_kind,
    scope_id,
    period,
    number,
    {{ fact(
        'uncounted', uncounted_key('zero_reason'), unit="'COUNT'", value_micro=millionths('commits'), basis='commits',
        note='zero_reason', people='people'
    ) }}
from by_reason
union all
select
    scope_kind,
    scope_id,
    period,
    number,
    {{ fact(
        'uncounted', "'provisional'", unit="'ETV'", value_micro='etv_micro', on_date='provisional_until', basis='commits',
        note="'PROVISIONAL'", people='people'
    ) }}
from may_change
union all
select
    'ORGANIZATION' as scope_kind,
    '{{ var("organization_id") }}' as scope_id,
    period,
    number,
    {{ fact(
        'uncounted', "'sandbox_repositories'", unit="'COUNT'", value_micro=millionths('repositories'), basis='commits',
        note="'SANDBOX_REPOSITORIES'", people='people'
    ) }}
from sandboxes
{% for state in ['excluded', 'unread', 'incomplete'] -%}
union all
select
    'ORGANIZATION' as scope_kind,
    '{{ var("organization_id") }}' as scope_id,
    periods.period,
    periods.number,
    {{ fact(
        'uncounted', "'" ~ state ~ "_repositories'", unit="'COUNT'",
        value_micro=millionths('of_settings.' ~ state ~ '_repositories'), basis='of_settings.' ~ state ~ '_repositories',
        note="'" ~ state.upper() ~ "_REPOSITORIES'"
    ) }}
from periods
cross join of_settings
where of_settings.{{ state }}_repositories > 0
{% endfor %}
