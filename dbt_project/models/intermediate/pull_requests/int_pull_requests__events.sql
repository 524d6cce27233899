-- Events with the developer behind each, and whether a person stands behind it. Bots and AI reviewers are no persons.

with events as (
    select * from {{ ref('stg_hosts__pull_request_events') }}
),

logins as (
    select * from {{ ref('int_pull_requests__logins') }}
),

robots as (
    select * from {{ ref('int_pull_requests__robots') }}
),

attributes as (
    select * from {{ ref('int_identity__attributes') }}
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

judged as (
    select
        actors.host,
        actors.actor,
        actors.actor_kind,
        logins.developer_id,
        -- An administrator may have decided about the developer; then the login of a known robot, the host, the developer
        -- and the form of the login decide.
        case
            when attributes.kind is not null then attributes.kind = 'bot'
            when robots.is_known then true
            when actors.actor_kind = 'bot' then coalesce(logins.is_bot, true)
            when logins.is_bot is not null then logins.is_bot
            when robots.login is not null then true
            else actors.actor_kind <> 'person' and signals.value is not null
        end as is_bot
    from actors
    left join logins on actors.host = logins.host and actors.actor = logins.login
    left join attributes on logins.developer_id = attributes.developer_id
    left join robots on actors.host = robots.host and actors.actor = robots.login
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
