-- From the last use of a paid seat, or the first day on which the vendor listed it, until the next use. Breaks of a few days are
-- no news. A cancelled seat, and one that the vendor no longer lists, need nobody.

with seats as (
    select
        *,
        coalesce(last_active_on, first_seen_on) as idle_since
    from {{ ref('int_ai_usage__seats') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

listings as (
    select
        connection_id,
        max(seen_on) as last_listed_on
    from seats
    group by connection_id
),

idle as (
    select
        tool,
        person_key,
        idle_since,
        max(developer_id) as developer_id,
        max(actor) as actor,
        max(connection_id) as connection_id,
        max(seen_on) as last_seen_on,
        min(case when is_pending_cancellation then seen_on end) as cancelled_on
    from seats
    group by tool, person_key, idle_since
),

followed as (
    select
        *,
        lead(idle_since) over (partition by tool, person_key order by idle_since) as used_on
    from idle
),

dated as (
    select
        followed.*,
        {{ plus_days('followed.idle_since', 1) }} as idle_from,
        coalesce(
            followed.cancelled_on,
            followed.used_on,
            case
                when followed.last_seen_on < listings.last_listed_on then {{ plus_days('followed.last_seen_on', 1) }}
            end
        ) as idle_until,
        case
            when followed.cancelled_on is not null then 'cancelled'
            when followed.used_on is not null then 'used'
            when followed.last_seen_on < listings.last_listed_on then 'removed'
        end as ended_by
    from followed
    inner join listings on followed.connection_id = listings.connection_id
)

select
    'ai_seat' as subject_type,
    concat(dated.tool, ' ', dated.person_key) as subject_id,
    cast(null as {{ dbt.type_string() }}) as repository_id,
    dated.developer_id,
    {{ instant_of_local("'UTC'", 'cast(dated.idle_from as timestamp)') }} as started_at,
    {{ instant_of_local("'UTC'", 'cast(dated.idle_until as timestamp)') }} as ended_at,
    dated.ended_by,
    cast(null as bigint) as value_micro,
    concat({{ ai_tool_name('dated.tool') }}, ': ', coalesce(dated.actor, 'unknown')) as subject_title
from dated
cross join organization
where
    {{ days_between('dated.idle_from', 'coalesce(dated.idle_until, organization.local_date)') }}
    >= {{ var('check_ai_seat_days') }}
