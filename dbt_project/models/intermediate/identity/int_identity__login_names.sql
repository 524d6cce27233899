-- Addresses with a login as display name: "octocat <octo@home>" may be 123+octocat@users.noreply.…. First names are
-- also logins, so a name of several mailboxes or a login on several hosts is no evidence.

with addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

generic as (
    select distinct value
    from {{ ref('generic_identities') }}
    where kind in ('name', 'local_part', 'login_name')
),

names as (
    select
        addresses.address_number,
        addresses.mailbox_id,
        {{ compared_login('addresses.name') }} as login
    from addresses
    where addresses.login_key is null and not addresses.is_robot
),

sides as (
    select
        address_number,
        login,
        mailbox_id as party,
        1 as is_name
    from names
    where length(login) >= {{ var('login_name_min_length') }}
    union all
    select
        address_number,
        login,
        login_key as party,
        0 as is_name
    from addresses
    where login_key is not null and not is_robot
),

people as (
    select sides.*
    from sides
    left join generic on sides.login = generic.value
    where generic.value is null
),

met as (
    select
        login,
        count(distinct case when is_name = 1 then party end) = 1
        and count(distinct case when is_name = 0 then party end) = 1 as is_clear
    from people
    group by login
    having min(is_name) = 0 and max(is_name) = 1
)

select
    people.address_number,
    people.login,
    met.is_clear
from people
inner join met on people.login = met.login
