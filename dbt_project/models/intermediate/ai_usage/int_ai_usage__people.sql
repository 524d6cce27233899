-- Who is meant by an address or a login in a report of usage, and by an actor about whom somebody decided.

with developers as (
    select * from {{ ref('int_identity__developers') }}
),

accounts as (
    select * from {{ ref('int_pull_requests__logins') }}
),

decided as (
    select * from {{ ref('stg_control__ai_actors') }}
),

known as (
    select * from {{ ref('int_identity__known_ids') }}
),

-- Several people share an actor without a developer. A developer who is gone decides nothing.
assigned as (
    select
        decided.actor,
        known.developer_id
    from decided
    left join known on decided.developer_id = known.known_developer_id
    where decided.developer_id is null or known.developer_id is not null
),

-- After a split, one address may have names of two developers: most commits decide.
places as (
    select
        address,
        developer_id,
        row_number() over (partition by address order by authored_commits desc, developer_id) as place
    from developers
    where not is_robot and position('@' in address) > 1
),

addresses as (
    select
        address,
        developer_id
    from places
    where place = 1
),

-- GitHub gives an address to each account: `1234567+login@users.noreply.github.com`, formerly without the number.
given as (
    select
        lower({{ first_match(
            'address', pattern_text('^(?:[0-9]+[+])?([^@+]+)@users[.]noreply[.]github[.]com$'), 1
        ) }}) as login,
        developer_id
    from addresses
    where address like '%@users.noreply.github.com'
),

named as (
    select
        login,
        developer_id
    from given
    union all
    select
        login,
        developer_id
    from accounts
    where not is_bot
),

-- A login that stands for two developers stands for neither.
logins as (
    select
        login,
        min(developer_id) as developer_id
    from named
    group by login
    having count(distinct developer_id) = 1
)

select
    'address' as naming,
    address as words,
    developer_id
from addresses
union all
select
    'login' as naming,
    login as words,
    developer_id
from logins
union all
select
    'decision' as naming,
    actor as words,
    developer_id
from assigned
