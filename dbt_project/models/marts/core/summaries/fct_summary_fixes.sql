-- Fixes of bugs whose origin is likely known, by the day of the fix.

with days as (
    {{ days_of_summaries(told=true) }}
),

origins as (
    select * from {{ ref('fct_bug_origins') }}
    where place = 1
),

fixes as (
    select
        commits.repository_id,
        repositories.is_sandbox,
        authors.team_id,
        commits.developer_id,
        commits.delivered_on,
        origins.age_days
    from {{ ref('fct_bug_fixes') }} as fixes
    inner join {{ ref('fct_commits') }} as commits on fixes.commit_sha = commits.commit_sha
    inner join {{ ref('int_repositories') }} as repositories on commits.repository_id = repositories.repository_id
    left join origins on fixes.commit_sha = origins.commit_sha
    left join {{ ref('int_teams__authors') }} as authors
        on commits.commit_sha = authors.commit_sha and commits.developer_id = authors.developer_id
    where commits.is_counted
),

scoped as (
    {{ rows_of_scopes('fixes', ['delivered_on', 'developer_id', 'age_days']) }}
),

summed as (
    select
        scoped.scope_kind,
        scoped.scope_id,
        days.period,
        days.number,
        count(*) as fixes,
        count(scoped.age_days) as known_origins,
        count(case when scoped.age_days < {{ var('summary_young_days') }} then 1 end) as young_fixes,
        count(distinct scoped.developer_id) as people
    from scoped
    inner join days on scoped.delivered_on = days.day
    where days.period <> 'week'
    group by scoped.scope_kind, scoped.scope_id, days.period, days.number
)

{% for kind, value, basis in [
    ('bug_origins', 'known_origins', 'fixes'), ('young_fixes', 'young_fixes', 'known_origins')
] -%}
select
    scope_kind,
    scope_id,
    period,
    number,
    {{ fact(kind, unit="'COUNT'", value_micro=millionths(value), basis=basis, people='people') }}
from summed
{{ 'union all' if not loop.last }}
{% endfor %}
