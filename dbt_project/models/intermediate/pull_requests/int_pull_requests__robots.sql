-- Accounts of a host that are robots by their login, whatever the host says: many robots are user accounts.

with logins as (
    select
        host,
        author as login,
        written_author as written_login
    from {{ ref('stg_hosts__pull_requests') }}
    union all
    select
        host,
        actor as login,
        written_actor as written_login
    from {{ ref('stg_hosts__pull_request_events') }}
    union all
    select
        host,
        author_login as login,
        author_login as written_login
    from {{ ref('stg_hosts__pull_request_commits') }}
),

patterns as (
    select * from {{ ref('bot_patterns') }}
    where field in ('name', 'written_name') and kind <> 'last_word'
),

accounts as (
    select distinct
        host,
        login,
        written_login
    from logins
    where login <> ''
)

select
    accounts.host,
    accounts.login,
    -- Pieter Bot may be called pieter-bot. The name of a known robot is nobody's.
    bool_or(patterns.kind = 'equals') as is_known
from accounts
inner join patterns
    on
        case
            when patterns.field = 'name' then {{ is_sign_of_bot('patterns', 'accounts.login') }}
            else {{ is_sign_of_bot('patterns', 'accounts.written_login') }}
        end
group by accounts.host, accounts.login
