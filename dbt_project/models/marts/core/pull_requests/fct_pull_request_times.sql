-- The times of a pull request, each with the events that started and ended it, or the reason why it has no value.

with milestones as (
    select * from {{ ref('int_pull_requests__milestones') }}
),

working_days as (
    select * from {{ ref('int_pull_requests__working_days') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

started as (
    select
        *,
        case when first_commit_at < created_at then first_commit_at else created_at end as cycle_started_at,
        case when first_commit_at < created_at then 'first_commit' else 'created' end as cycle_started_by
    from milestones
),

{% set measures = [
    ('cycle', 'cycle_started_by', 'cycle_started_at', 'null', "'merged'", 'merged_at', 'merged_by'),
    ('open', "'created'", 'created_at', 'author', "case when state = 'closed' then 'closed' else 'merged' end", 'ended_at', 'merged_by'),
    ('pickup', "'ready'", 'ready_at', 'author', "'first_review'", 'first_review_at', 'first_reviewer'),
    ('review', "'first_review'", 'first_review_at', 'first_reviewer', "'approved'", 'approved_at', 'approver'),
    ('approval', "'ready'", 'ready_at', 'author', "'approved'", 'approved_at', 'approver'),
    ('merge', "'approved'", 'approved_at', 'approver', "'merged'", 'merged_at', 'merged_by'),
] -%}
spans as (
    {% for measure, started_by, started_at, starter, ended_by, ended_at, ender in measures -%}
    select
        pull_request_id,
        repository_id,
        '{{ measure }}' as measure,
        {{ started_by }} as started_by,
        {{ started_at }} as started_at,
        cast({{ starter }} as {{ dbt.type_string() }}) as started_by_login,
        {{ ended_by }} as ended_by,
        {{ ended_at }} as ended_at,
        cast({{ ender }} as {{ dbt.type_string() }}) as ended_by_login,
        case
            when {{ started_at }} is not null and {{ ended_at }} is not null then null
            {% if started_by == "'ready'" -%}
            when ready_at is null then 'DRAFT'
            {% endif -%}
            {% if 'approved' in started_by or 'approved' in ended_by -%}
            when approved_at is null then 'NOT_APPROVED'
            {% endif -%}
            {% if 'first_review' in ended_by -%}
            when first_review_at is null then 'NOT_REVIEWED'
            {% endif -%}
            when state = 'open' then 'OPEN'
            else 'NOT_MERGED'
        end as missing_reason
    from started
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

dated as (
    select
        spans.*,
        {{ epoch_micros('spans.started_at') }} as started_micros,
        -- A phase that ended before its start took no time.
        greatest({{ epoch_micros('spans.ended_at') }}, {{ epoch_micros('spans.started_at') }}) as ended_micros,
        cast({{ local_time('organization.time_zone', 'spans.started_at') }} as date) as started_on,
        cast({{ local_time('organization.time_zone', 'greatest(spans.ended_at, spans.started_at)') }} as date) as ended_on
    from spans
    cross join organization
),

worked as (
    select
        dated.*,
        firsts.micros_before
        + least(greatest(dated.started_micros - firsts.starts_micros, 0), firsts.length_micros) as worked_at_start,
        lasts.micros_before
        + least(greatest(dated.ended_micros - lasts.starts_micros, 0), lasts.length_micros) as worked_at_end
    from dated
    left join working_days as firsts on dated.started_on = firsts.day
    left join working_days as lasts on dated.ended_on = lasts.day
)

select
    pull_request_id,
    repository_id,
    measure,
    started_by,
    started_at,
    started_by_login,
    case when missing_reason is null then ended_by end as ended_by,
    case when missing_reason is null then ended_at end as ended_at,
    case when missing_reason is null then ended_by_login end as ended_by_login,
    case when missing_reason is null then {{ hours_micro('ended_micros - started_micros') }} end as hours_micro,
    case when missing_reason is null then {{ hours_micro('worked_at_end - worked_at_start') }} end
        as working_hours_micro,
    missing_reason
from worked
