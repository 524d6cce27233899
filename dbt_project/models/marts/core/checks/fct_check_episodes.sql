-- The times at which something was an occurrence: its value had reached the threshold. Times of one thing that follow each
-- other closely are one episode. Times are microseconds since 1970, because null stands for a time that lasts.
-- `python -m dbt_project.check_episodes` writes the same text for the backtests of the API.

with stretches as (
    select * from {{ ref('fct_check_stretches') }}
),

kinds as (
    select * from {{ ref('int_checks__kinds') }}
    where is_on
),

working_days as (
    select * from {{ ref('int_pull_requests__working_days') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

-- Multiples of the usual value apply where it is known, else the numbers.
limited as (
    select
        stretches.*,
        kinds.is_below,
        kinds.is_clock,
        kinds.is_calendar,
        kinds.unit_seconds,
        kinds.lasting_days,
        {{ limit_of('threshold') }} as threshold_micro,
        {{ limit_of('critical') }} as critical_micro
    from stretches
    inner join kinds on stretches.kind = kinds.kind
),

measured as (
    select
        *,
        -- A second of work is a million microseconds, and a unit a million millionths.
        worked_at_start + threshold_micro * unit_seconds as worked_at_opening,
        case
            when is_clock then {{ whole_ratio('worked_at_end - worked_at_start', 'unit_seconds') }}
            else value_micro
        end as measured_micro
    from limited
),

reached as (
    select * from measured
    where {{ reaches('measured_micro', 'threshold_micro') }}
),

opened as (
    select
        reached.*,
        {{ epoch_micros('reached.ended_at') }} as own_end,
        {{ epoch_micros('organization.as_of') }} as now,
        case
            when reached.is_calendar then reached.worked_at_opening
            when reached.is_clock
                then working_days.starts_micros + reached.worked_at_opening - working_days.micros_before
            else {{ epoch_micros('reached.started_at') }}
        end as opened
    from reached
    cross join organization
    left join working_days
        on
            reached.is_clock
            and not reached.is_calendar
            and reached.worked_at_opening > working_days.micros_before
            and reached.worked_at_opening <= working_days.micros_before + working_days.length_micros
),

aged as (
    select
        *,
        case
            when opened + lasting_days * 86400000000 <= least(now, coalesce(own_end, now))
                then opened + lasting_days * 86400000000
            else own_end
        end as ended
    from opened
),

followed as (
    select
        *,
        max(coalesce(ended, now)) over (
            partition by kind, subject_id order by opened, ended rows between unbounded preceding and 1 preceding
        ) as ended_before
    from aged
),

numbered as (
    select
        *,
        sum(case when opened <= ended_before + {{ var('check_gap_days') }} * 86400000000 then 0 else 1 end) over (
            partition by kind, subject_id order by opened, ended rows between unbounded preceding and current row
        ) as number
    from followed
),

episodes as (
    select
        kind,
        subject_id,
        number,
        min(subject_type) as subject_type,
        min(subject_title) as subject_title,
        max_by(repository_id, opened) as repository_id,
        max_by(developer_id, opened) as developer_id,
        max_by(team_id, opened) as team_id,
        min(opened) as opened,
        case when count(ended) = count(*) then max(ended) end as ended,
        max_by(case when ended = own_end then ended_by else 'aged' end, ended) as ended_by,
        case when bool_or(is_below) then min(measured_micro) else max(measured_micro) end as measured_micro,
        max(threshold_micro) as threshold_micro,
        max(critical_micro) as critical_micro,
        bool_or(critical_micro is not null and {{ reaches('measured_micro', 'critical_micro') }}) as is_critical
    from numbered
    group by kind, subject_id, number
),

digests as (
    select
        episodes.*,
        {{ uuid5_digest('organization.organization_id', "concat('check:', episodes.kind, ' ', episodes.subject_id)") }}
            as digest
    from episodes
    cross join organization
)

select
    {{ uuid5_of_digest('digest') }} as occurrence_id,
    kind,
    subject_id,
    cast(number as bigint) as number,
    subject_type,
    subject_title,
    repository_id,
    developer_id,
    team_id,
    {{ instant_of_micros('opened') }} as opened_at,
    {{ instant_of_micros('ended') }} as ended_at,
    case when ended is not null then ended_by end as ended_by,
    measured_micro,
    threshold_micro,
    critical_micro,
    is_critical
from digests
