-- Events with the developer behind each, and whether a person stands behind it. Bots and AI reviewers are no persons.

with events as (
    select * from {{ ref('stg_hosts__pull_request_events') }}
),

logins as (
    select * from {{ ref('int_pull_requests__logins') }}
),

patterns as (
    select * from {{ ref('bot_patterns') }}
    where field = 'name'
),

signals as (
    select * from {{ ref('ai_signals') }}
    where signal = 'login'
),

actors as (
    select distinct
        host,
        actor,
        actor_kind
    from events
    where actor <> ''
),

named_bots as (
    select distinct
        actors.host,
        actors.actor
    from actors
    inner join patterns
        on
            {{ is_sign_of_bot('patterns', 'actors.actor') }}
),

judged as (
    select
        actors.host,
        actors.actor,
        actors.actor_kind,
        logins.developer_id,
        -- An administrator may have decided about the developer; then the host, then the name decides.
        case
            when actors.actor_kind = 'bot' then coalesce(logins.is_bot, true)
            when logins.is_bot is not null then logins.is_bot
            when named_bots.actor is not null then true
            else actors.actor_kind <> 'person' and signals.value is not null
        end as is_bot
    from actors
    left join logins on actors.host = logins.host and actors.actor = logins.login
    left join named_bots on actors.host = named_bots.host and actors.actor = named_bots.actor
    left join signals on actors.actor = signals.value
)

select
    events.pull_request_id,
    events.repository_id,
    events.kind,
    events.happened_at,
    events.written_actor as actor,
    judged.developer_id,
    coalesce(judged.is_bot, false) as is_bot,
    coalesce(not judged.is_bot, false) as is_person,
    coalesce(events.actor = events.author, false) as is_author
from events
left join judged
    on events.host = judged.host and events.actor = judged.actor and events.actor_kind = judged.actor_kind
