-- The times at which something was an occurrence: its value had reached the threshold. Times of one thing that follow each
-- other closely are one episode. Times are microseconds since 1970, because null stands for a time that lasts.
-- `python -m dbt_project.check_episodes` writes the same text for the backtests of the API.

with stretches as (
    select * from fct_check_stretches
),

kinds as (
    select * from int_checks__kinds
    where is_on
),

working_days as (
    select * from int_pull_requests__working_days
),

organization as (
    select * from int_organization
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
        case
            when kinds.threshold_multiple_hundredths is not null and stretches.usual_micro is not null
                then cast((stretches.usual_micro * kinds.threshold_multiple_hundredths) // (100) as bigint)
            else kinds.threshold_micro
        end as threshold_micro,
        case
            when kinds.threshold_multiple_hundredths is not null and stretches.usual_micro is not null
                then cast((stretches.usual_micro * kinds.critical_multiple_hundredths) // (100) as bigint)
            else kinds.critical_micro
        end as critical_micro
    from stretches
    inner join kinds on stretches.kind = kinds.kind
),

measured as (
    select
        *,
        -- A second of work is a million microseconds, and a unit a million millionths.
        worked_at_start + threshold_micro * unit_seconds as worked_at_opening,
        case
            when is_clock then cast((worked_at_end - worked_at_start) // (unit_seconds) as bigint)
            else value_micro
        end as measured_micro
    from limited
),

reached as (
    select * from measured
    where (threshold_micro is null or case when is_below then measured_micro <= threshold_micro else measured_micro >= threshold_micro end)
),

opened as (
    select
        reached.*,
        epoch_us(reached.ended_at) as own_end,
        epoch_us(organization.as_of) as now,
        case
            when reached.is_calendar then reached.worked_at_opening
            when reached.is_clock
                then working_days.starts_micros + reached.worked_at_opening - working_days.micros_before
            else epoch_us(reached.started_at)
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
        sum(case when opened <= ended_before + 3 * 86400000000 then 0 else 1 end) over (
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
        bool_or(critical_micro is not null and (critical_micro is null or case when is_below then measured_micro <= critical_micro else measured_micro >= critical_micro end)) as is_critical
    from numbered
    group by kind, subject_id, number
),

digests as (
    select
        episodes.*,
        sha1(unhex(replace(organization.organization_id, '-', '')) || encode(concat('check:', episodes.kind, ' ', episodes.subject_id)))
            as digest
    from episodes
    cross join organization
)

select
    concat(
    substr(digest, 1, 8), '-',
    substr(digest, 9, 4), '-5',
    substr(digest, 14, 3), '-',
    translate(substr(digest, 17, 1), '0123456789abcdef', '89ab89ab89ab89ab'),
    substr(digest, 18, 3), '-',
    substr(digest, 21, 12)
  ) as occurrence_id,
    kind,
    subject_id,
    cast(number as bigint) as number,
    subject_type,
    subject_title,
    repository_id,
    developer_id,
    team_id,
    make_timestamptz(opened) as opened_at,
    make_timestamptz(ended) as ended_at,
    case when ended is not null then ended_by end as ended_by,
    measured_micro,
    threshold_micro,
    critical_micro,
    is_critical
from digests
