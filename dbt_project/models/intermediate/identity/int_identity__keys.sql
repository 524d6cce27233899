-- Keys by which addresses may be joined. Anybody can write under any name, also with an address of a host, and any
-- committer can write a mailmap. So neither joins a proven address (int_identity__proven). Only the login does.

with addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

generic as (
    select * from {{ ref('generic_identities') }}
),

logins as (
    select * from addresses
    where login_key is not null
),

proven as (
    select * from {{ ref('int_identity__proven') }}
),

accounts as (
    select * from {{ ref('int_pull_requests__accounts') }}
),

-- Addresses that a connected host gives to an account, and the account's noreply addresses.
vouched as (
    select
        addresses.address_number,
        accounts.host,
        accounts.login
    from addresses
    inner join accounts on addresses.address = accounts.address
    union distinct
    select
        logins.address_number,
        accounts.host,
        accounts.login
    from logins
    inner join accounts
        on logins.login = accounts.login and {{ host_of_noreply('logins.domain') }} = accounts.host
),

login_names as (
    select * from {{ ref('int_identity__login_names') }}
    where is_clear
),

mailmap as (
    select * from {{ ref('int_identity__mailmap') }}
),

shared as (
    select address
    from addresses
    where compared_name like '% %'
    group by address
    having count(distinct compared_name) > {{ var('address_max_names') }}
),

-- A mailmap that names the names of an address tells its people apart.
separated as (
    select distinct address_number
    from mailmap
    where is_by_name
),

described as (
    select
        addresses.address_number,
        addresses.address,
        addresses.compared_name,
        addresses.is_robot,
        proven.address_number is not null as is_proven,
        addresses.address = ''
        or addresses.domain = ''
        or generic_parts.value is not null
        or generic_domains.value is not null as is_generic_address,
        -- An address is one developer, whatever names it shows. Many names only join no further addresses.
        shared.address is not null as has_many_names,
        separated.address_number is not null as is_separated,
        addresses.compared_name not like '% %' or generic_names.value is not null as is_generic_name
    from addresses
    left join generic as generic_parts
        on addresses.local_part = generic_parts.value and generic_parts.kind = 'local_part'
    left join generic as generic_domains
        on addresses.domain = generic_domains.value and generic_domains.kind = 'domain'
    left join generic as generic_names
        on addresses.compared_name = generic_names.value and generic_names.kind = 'name'
    left join shared on addresses.address = shared.address
    left join separated on addresses.address_number = separated.address_number
    left join proven on addresses.address_number = proven.address_number
),

free as (
    select * from described
    where not is_robot and not is_proven
),

owned as (
    select address
    from described
    where is_proven or is_generic_address
)

select
    address_number,
    'same' as kind,
    concat('same:', address, ' ', compared_name) as key
from described
union all
select
    address_number,
    'address' as kind,
    concat('address:', address) as key
from described
where not is_generic_address and not is_separated
union all
select
    described.address_number,
    'login' as kind,
    logins.login_key as key
from described
inner join logins on described.address_number = logins.address_number
where not described.is_generic_address
union all
select
    described.address_number,
    'account' as kind,
    logins.account_key as key
from described
inner join logins on described.address_number = logins.address_number
where not described.is_generic_address and logins.account_key is not null
union all
select
    described.address_number,
    'provider' as kind,
    concat('provider:', vouched.host, ' ', vouched.login) as key
from described
inner join vouched on described.address_number = vouched.address_number
where not described.is_generic_address
union all
select
    address_number,
    'name' as kind,
    concat('name:', compared_name) as key
from free
where not is_generic_name and not has_many_names
union all
select
    free.address_number,
    'mailmap' as kind,
    concat('mailmap:', mailmap.proper_address) as key
from free
inner join mailmap on free.address_number = mailmap.address_number
left join owned on mailmap.proper_address = owned.address
where
    owned.address is null
    and (free.is_separated or not (free.is_generic_address or free.has_many_names))
union all
select
    free.address_number,
    'login_name' as kind,
    concat('login_name:', login_names.login) as key
from free
inner join login_names on free.address_number = login_names.address_number
where not (free.is_generic_address or free.has_many_names)
