-- The times of a pull request, each with the events that started and ended it, or the reason why it has no value. The time
-- that it was closed until somebody opened it again counts in none.

with milestones as (
    select * from {{ ref('int_pull_requests__milestones') }}
),

working_days as (
    select * from {{ ref('int_pull_requests__working_days') }}
),

closures as (
    select * from {{ ref('int_pull_requests__closures') }}
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
        state = 'open' as is_open,
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
        {{ worked_until('firsts', 'dated.started_micros') }} as worked_at_start,
        {{ worked_until('lasts', 'dated.ended_micros') }} as worked_at_end
    from dated
    left join working_days as firsts on dated.started_on = firsts.day
    left join working_days as lasts on dated.ended_on = lasts.day
),

closed_parts as (
    select
        dated.pull_request_id,
        dated.measure,
        greatest(dated.started_at, closures.closed_at) as closed_at,
        least(coalesce(dated.ended_at, closures.reopened_at), closures.reopened_at) as reopened_at
    from dated
    inner join closures on dated.pull_request_id = closures.pull_request_id
    where
        dated.started_at < closures.reopened_at
        -- A time of an open pull request runs on after its closures.
        and (dated.ended_at > closures.closed_at or (dated.ended_at is null and dated.is_open))
),

dated_parts as (
    select
        closed_parts.*,
        {{ epoch_micros('closed_parts.closed_at') }} as closed_micros,
        {{ epoch_micros('closed_parts.reopened_at') }} as reopened_micros,
        cast({{ local_time('organization.time_zone', 'closed_parts.closed_at') }} as date) as closed_on,
        cast({{ local_time('organization.time_zone', 'closed_parts.reopened_at') }} as date) as reopened_on
    from closed_parts
    cross join organization
),

closed as (
    select
        dated_parts.pull_request_id,
        dated_parts.measure,
        sum(dated_parts.reopened_micros - dated_parts.closed_micros) as micros,
        sum(
            {{ worked_until('lasts', 'dated_parts.reopened_micros') }}
            - ({{ worked_until('firsts', 'dated_parts.closed_micros') }})
        ) as worked_micros
    from dated_parts
    left join working_days as firsts on dated_parts.closed_on = firsts.day
    left join working_days as lasts on dated_parts.reopened_on = lasts.day
    where dated_parts.closed_at < dated_parts.reopened_at
    group by dated_parts.pull_request_id, dated_parts.measure
),

lasting as (
    select
        worked.*,
        cast(coalesce(closed.micros, 0) as bigint) as closed_micros,
        worked.ended_micros - worked.started_micros - cast(coalesce(closed.micros, 0) as bigint) as micros,
        worked.worked_at_end - worked.worked_at_start - cast(coalesce(closed.worked_micros, 0) as bigint)
            as worked_micros
    from worked
    left join closed on worked.pull_request_id = closed.pull_request_id and worked.measure = closed.measure
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
    case when missing_reason is null then {{ hours_micro('micros') }} end as hours_micro,
    case when missing_reason is null then {{ hours_micro('worked_micros') }} end as working_hours_micro,
    case
        when missing_reason is null or (is_open and started_at is not null and ended_at is null)
            then {{ hours_micro('closed_micros') }}
    end as closed_hours_micro,
    missing_reason
from lasting
