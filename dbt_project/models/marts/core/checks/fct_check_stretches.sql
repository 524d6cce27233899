-- What the models of all kinds measured, with the time on the clock of working hours, and with the usual value of the weeks
-- before. It counts whole weeks before the one of the start, so that no later build knows another one.

{% set kinds = [] -%}
{% for kind in var('check_kinds') if not is_connected(kind) and kind.source != 'ai_usage' %}{% do kinds.append(kind) %}{% endfor -%}
with found as (
{{ measured_kinds(kinds) }}
    union all
    select * from {{ ref('fct_check_connected') }}
    union all
    select * from {{ ref('fct_check_ai_usage') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

working_days as (
    select * from {{ ref('int_pull_requests__working_days') }}
),

members as (
    select * from {{ ref('int_teams__members') }}
),

subjects as (
    select * from {{ ref('fct_check_subjects') }}
    where team_id is not null
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

-- Nothing of the future is known at the instant of the build.
known as (
    select
        found.kind,
        found.subject_type,
        found.subject_id,
        found.repository_id,
        found.developer_id,
        found.started_at,
        case when found.ended_at <= organization.as_of then greatest(found.ended_at, found.started_at) end as ended_at,
        case when found.ended_at <= organization.as_of then found.ended_by end as ended_by,
        found.value_micro,
        found.subject_title,
        organization.as_of,
        organization.time_zone
    from found
    cross join organization
    left join repositories on found.repository_id = repositories.repository_id
    where
        found.started_at <= organization.as_of
        and not coalesce(repositories.is_sandbox, false)
        and not coalesce(repositories.is_excluded, false)
),

dated as (
    select
        *,
        coalesce(ended_at, as_of) as measured_until,
        cast({{ local_time('time_zone', 'started_at') }} as date) as started_on,
        cast({{ local_time('time_zone', 'coalesce(ended_at, as_of)') }} as date) as measured_on
    from known
),

kinds as (
    select * from {{ ref('int_checks__kinds') }}
),

timed as (
    select
        dated.kind,
        dated.subject_type,
        dated.subject_id,
        dated.repository_id,
        dated.developer_id,
        -- An issue belongs to the team of its tracker, else to that of its owner.
        case
            when dated.subject_type = 'team' then dated.subject_id
            else coalesce(subjects.team_id, members.team_id)
        end as team_id,
        dated.started_at,
        dated.started_on,
        dated.ended_at,
        dated.measured_on,
        dated.ended_by,
        dated.value_micro,
        dated.subject_title,
        case
            when kinds.is_calendar then {{ epoch_micros('dated.started_at') }}
            else cast({{ worked_until('firsts', epoch_micros('dated.started_at')) }} as bigint)
        end as worked_at_start,
        case
            when kinds.is_calendar then {{ epoch_micros('dated.measured_until') }}
            else cast({{ worked_until('lasts', epoch_micros('dated.measured_until')) }} as bigint)
        end as worked_at_end
    from dated
    inner join kinds on dated.kind = kinds.kind
    left join working_days as firsts on dated.started_on = firsts.day
    left join working_days as lasts on dated.measured_on = lasts.day
    left join subjects on dated.subject_type = subjects.subject_type and dated.subject_id = subjects.subject_id
    left join members
        on
            dated.developer_id = members.developer_id
            and dated.started_on between members.start_on and members.end_on
),

-- Clocks count when they ended, other values when they began. Small values are occurrences of some kinds, and the usual
-- says nothing about these.
counted as (
    select
        timed.kind,
        cast(
            date_trunc('week', case when kinds.is_clock then timed.measured_on else timed.started_on end) as date
        ) as week_start,
        case
            when kinds.is_clock
                then {{ whole_ratio('timed.worked_at_end - timed.worked_at_start', 'kinds.unit_seconds') }}
            else timed.value_micro
        end as measured_micro
    from timed
    inner join kinds on timed.kind = kinds.kind
    where
        kinds.threshold_micro is not null
        and not kinds.is_below
        and (not kinds.is_clock or timed.ended_at is not null)
),

weeks_after as (
    {% for week in range(1, var('check_usual_weeks') + 1) -%}
    select
        kind,
        {{ plus_days('week_start', 7 * week) }} as week_start,
        measured_micro
    from counted
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

usual as (
    select
        kind,
        week_start,
        cast(floor(median(measured_micro)) as bigint) as usual_micro
    from weeks_after
    group by kind, week_start
    having count(measured_micro) >= {{ var('check_usual_values') }} and median(measured_micro) >= 1
)

select
    timed.kind,
    timed.subject_type,
    timed.subject_id,
    timed.repository_id,
    timed.developer_id,
    timed.team_id,
    timed.started_at,
    timed.started_on,
    timed.ended_at,
    timed.ended_by,
    timed.value_micro,
    timed.worked_at_start,
    timed.worked_at_end,
    usual.usual_micro,
    timed.subject_title
from timed
left join usual
    on timed.kind = usual.kind and cast(date_trunc('week', timed.started_on) as date) = usual.week_start
