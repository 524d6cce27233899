-- Which address the host gives to which of its accounts: the host compares an address of a commit with those that the
-- account has proven.

with commits as (
    select * from {{ ref('stg_hosts__pull_request_commits') }}
    where author_login <> '' and author_address <> ''
),

pull_requests as (
    select * from {{ ref('stg_hosts__pull_requests') }}
),

events as (
    select * from {{ ref('stg_hosts__pull_request_events') }}
),

kinds as (
    select
        host,
        author as login,
        author_kind as kind
    from pull_requests
    union all
    select
        host,
        actor as login,
        actor_kind as kind
    from events
),

-- One interface of GitHub writes an app as `name`, another one as `name[bot]`. A person may have the name of an app.
apps as (
    select
        host,
        login
    from kinds
    where login <> ''
    group by host, login
    having max(case when kind = 'bot' then 1 else 0 end) = 1 and max(case when kind = 'person' then 1 else 0 end) = 0
),

bots as (
    select
        host,
        login
    from apps
    union distinct
    select
        host,
        concat(login, '[bot]') as login
    from apps
),

known_robots as (
    select
        host,
        login
    from {{ ref('int_pull_requests__robots') }}
    where is_known
),

pairs as (
    select distinct
        host,
        author_login as login,
        author_address as address
    from commits
)

select
    pairs.host,
    pairs.login,
    pairs.address,
    bots.login is not null or known_robots.login is not null as is_bot
from pairs
left join bots on pairs.host = bots.host and pairs.login = bots.login
left join known_robots on pairs.host = known_robots.host and pairs.login = known_robots.login
