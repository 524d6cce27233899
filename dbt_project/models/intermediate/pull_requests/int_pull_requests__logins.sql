-- The developer of an account: by an address that the host gives to it, by a noreply address, or by a full name that only
-- one developer has.

with accounts as (
    select * from {{ ref('int_pull_requests__accounts') }}
),

addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

developers as (
    select * from {{ ref('int_identity__developers') }}
),

authors as (
    select distinct
        host,
        author as login,
        {{ compared_name('author_name') }} as compared_name
    from {{ ref('stg_hosts__pull_requests') }}
    where author <> '' and author_name <> ''
),

events as (
    select distinct
        host,
        actor as login
    from {{ ref('stg_hosts__pull_request_events') }}
    where actor <> ''
),

logins as (
    select
        host,
        login
    from events
    union distinct
    select
        host,
        author as login
    from {{ ref('stg_hosts__pull_requests') }}
    where author <> ''
    union distinct
    select
        host,
        login
    from accounts
),

full_names as (
    select
        addresses.compared_name,
        min(developers.developer_id) as developer_id
    from addresses
    inner join developers on addresses.address_number = developers.address_number
    where addresses.compared_name like '% %'
    group by addresses.compared_name
    having count(distinct developers.developer_id) = 1
),

found as (
    select
        accounts.host,
        accounts.login,
        developers.developer_id,
        1 as way,
        developers.authored_commits
    from accounts
    inner join developers on accounts.address = developers.address
    union all
    select
        logins.host,
        logins.login,
        developers.developer_id,
        2 as way,
        developers.authored_commits
    from logins
    inner join addresses
        on logins.login = addresses.login and logins.host = {{ host_of_noreply('addresses.domain') }}
    inner join developers on addresses.address_number = developers.address_number
    union all
    select
        authors.host,
        authors.login,
        full_names.developer_id,
        3 as way,
        0 as authored_commits
    from authors
    inner join full_names on authors.compared_name = full_names.compared_name
),

summed as (
    select
        host,
        login,
        developer_id,
        min(way) as way,
        sum(authored_commits) as authored_commits
    from found
    group by host, login, developer_id
),

ranked as (
    select
        *,
        row_number() over (partition by host, login order by way, authored_commits desc, developer_id) as place
    from summed
),

robots as (
    select
        developer_id,
        bool_or(is_robot) as is_robot
    from developers
    group by developer_id
)

select
    ranked.host,
    ranked.login,
    ranked.developer_id,
    robots.is_robot as is_bot
from ranked
inner join robots on ranked.developer_id = robots.developer_id
where ranked.place = 1
