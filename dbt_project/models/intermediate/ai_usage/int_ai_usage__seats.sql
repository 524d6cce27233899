-- Seats with the developers who hold them. Vendors that name no last activity have it from the usage that any source
-- reports.

with seats as (
    select * from {{ ref('stg_ai_tools__seats') }}
),

people as (
    select * from {{ ref('int_ai_usage__people') }}
),

usage as (
    select * from {{ ref('int_ai_usage__rows') }}
),

named as (
    select
        *,
        coalesce(actor_email, actor_login, actor_name, actor_id) as actor,
        cast({{ local_time("'UTC'", 'last_active_at') }} as date) as told_on
    from seats
),

owned as (
    select
        named.*,
        coalesce(assigned.developer_id, addresses.developer_id, logins.developer_id) as developer_id,
        coalesce(
            assigned.developer_id, addresses.developer_id, logins.developer_id, named.actor_email, named.actor_login,
            named.actor_id, ''
        ) as person_key
    from named
    left join people as assigned on assigned.naming = 'decision' and lower(named.actor) = assigned.words
    left join people as addresses on addresses.naming = 'address' and named.actor_email = addresses.words
    left join people as logins on logins.naming = 'login' and named.actor_login = logins.words
),

-- Two kinds of connections may list one seat, and a developer may hold two accounts: the later end and activity hold.
held as (
    select
        tool,
        person_key,
        seen_on,
        min(developer_id) as developer_id,
        min(actor) as actor,
        min(connection_id) as connection_id,
        min(connection_kind) as connection_kind,
        min(plan) as plan,
        count(*) as seats,
        max(told_on) as told_on,
        case when count(ends_on) = count(*) then max(ends_on) end as ends_on
    from owned
    group by tool, person_key, seen_on
),

days as (
    select
        tool,
        person_key,
        seen_on as happened_on,
        seen_on,
        cast(null as date) as used_on
    from held
    union all
    select distinct
        tool,
        person_key,
        used_on as happened_on,
        cast(null as date) as seen_on,
        used_on
    from usage
    where is_active
),

followed as (
    select
        tool,
        person_key,
        seen_on,
        max(used_on) over (
            partition by tool, person_key order by happened_on range between unbounded preceding and current row
        ) as used_on
    from days
),

last_used as (
    select * from followed
    where seen_on is not null
)

select
    held.tool,
    held.person_key,
    held.seen_on,
    held.developer_id,
    held.actor,
    held.connection_id,
    held.connection_kind,
    held.plan,
    held.seats,
    held.told_on,
    last_used.used_on,
    greatest(coalesce(held.told_on, last_used.used_on), coalesce(last_used.used_on, held.told_on)) as last_active_on,
    held.ends_on,
    held.ends_on is not null as is_pending_cancellation,
    min(held.seen_on) over (partition by held.tool, held.person_key) as first_seen_on
from held
inner join last_used
    on
        held.tool = last_used.tool
        and held.person_key = last_used.person_key
        and held.seen_on = last_used.seen_on
