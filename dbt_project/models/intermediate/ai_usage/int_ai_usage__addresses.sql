-- Ids and logins that some row ties to one address: the others with the same id or login are of the same person.

with usage as (
    select * from {{ ref('stg_ai_tools__usage') }}
),

seats as (
    select * from {{ ref('stg_ai_tools__seats') }}
),

accounts as (
    select * from {{ ref('stg_ai_tools__accounts') }}
),

requests as (
    select * from {{ ref('stg_telemetry__requests') }}
),

listed as (
    select
        connection_kind,
        actor_id,
        actor_login,
        actor_email
    from usage
    union all
    select
        connection_kind,
        actor_id,
        actor_login,
        actor_email
    from seats
    union all
    select
        connection_kind,
        actor_id,
        actor_login,
        actor_email
    from accounts
),

-- Two kinds of connections have the ids of one vendor.
tied as (
    select
        case when connection_kind = 'CLAUDE_CODE' then 'ANTHROPIC' else connection_kind end as scope,
        'id' as naming,
        actor_id as words,
        actor_email as address
    from listed
    union all
    select
        connection_kind as scope,
        'login' as naming,
        actor_login as words,
        actor_email as address
    from listed
    union all
    select
        tool as scope,
        'account' as naming,
        user_account as words,
        user_email as address
    from requests
)

select
    scope,
    naming,
    words,
    min(address) as address
from tied
where words is not null and address is not null
group by scope, naming, words
-- What stands for several addresses, such as a machine of several people, stands for none.
having count(distinct address) = 1
