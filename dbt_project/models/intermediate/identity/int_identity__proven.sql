-- Addresses with a proven owner: a member answered a mail, an identity provider vouches for the address, or a connected
-- Git host gives it to one of its accounts. If one
-- address of a login is proven, all are. Otherwise a name could bring work to the login, and the login to the member.

with addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

logins as (
    select * from addresses
    where login_key is not null
),

members as (
    select distinct mailbox_id
    from {{ ref('stg_control__member_mailboxes') }}
),

accounts as (
    select * from {{ ref('int_pull_requests__accounts') }}
),

-- Only this model decides which addresses are verified.
shown as (
    select addresses.address_number
    from addresses
    inner join members on addresses.mailbox_id = members.mailbox_id
    union distinct
    select addresses.address_number
    from addresses
    inner join accounts on addresses.address = accounts.address
    union distinct
    select logins.address_number
    from logins
    inner join accounts
        on logins.login = accounts.login and {{ host_of_noreply('logins.domain') }} = accounts.host
),

links as (
    select
        address_number as member,
        login_key as key
    from logins
    union all
    select
        address_number as member,
        account_key as key
    from logins
    where account_key is not null
),

{{ connected_groups('links', rounds=3) }},

shown_logins as (
    select distinct connected.label
    from connected
    inner join shown on connected.member = shown.address_number
)

select address_number
from shown
union distinct
select connected.member as address_number
from connected
inner join shown_logins on connected.label = shown_logins.label
