-- Keys by which addresses may be joined. Anybody can write under any name, also with an address of a host, and any
-- committer can write a mailmap. So neither joins a proven address (int_identity__proven). Only the login does, and a full
-- name adds what nobody vouches for: otherwise a connected host, or a member who verifies an address, would lose the
-- addresses of this person that are not vouched for. Vouched people are never joined by it, neither directly nor through other addresses: an attached address joins
-- nobody else by its names, a login or a mailmap.

with addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

generic as (
    select * from {{ ref('generic_identities') }}
),

proven as (
    select * from {{ ref('int_identity__proven') }}
),

accounts as (
    select * from {{ ref('int_pull_requests__accounts') }}
),

logins as (
    select * from addresses
    where login_key is not null
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

dismissals as (
    select * from {{ ref('stg_control__suggestion_dismissals') }}
),

full_names as (
    select
        address,
        count(distinct compared_name) as names,
        sum(authored_commits) as commits
    from addresses
    where compared_name like '% %' and not is_program_name
    group by address
),

name_commits as (
    select
        address,
        compared_name,
        sum(authored_commits) as commits
    from addresses
    group by address, compared_name
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
        addresses.authored_commits,
        addresses.is_robot,
        addresses.common_row,
        proven.address_number is not null as is_proven,
        addresses.address = ''
        or addresses.domain = ''
        or generic_parts.value is not null
        or generic_domains.value is not null as is_generic_address,
        -- An address is one developer, whatever names it shows. Many names only join no further addresses.
        coalesce(full_names.names > {{ var('address_max_names') }}, false) as has_many_names,
        -- Somebody applied a patch of a colleague under the own address once.
        coalesce(
            name_commits.commits * {{ var('joining_name_parts') }} < full_names.commits, false
        ) as is_rare_name,
        separated.address_number is not null as is_separated,
        addresses.compared_name not like '% %'
        or addresses.is_program_name
        or generic_names.value is not null as is_generic_name
    from addresses
    left join generic as generic_parts
        on addresses.local_part = generic_parts.value and generic_parts.kind = 'local_part'
    left join generic as generic_domains
        on addresses.domain = generic_domains.value and generic_domains.kind = 'domain'
    left join generic as generic_names
        on addresses.compared_name = generic_names.value and generic_names.kind = 'name'
    left join full_names on addresses.address = full_names.address
    left join name_commits
        on addresses.address = name_commits.address and addresses.compared_name = name_commits.compared_name
    left join separated on addresses.address_number = separated.address_number
    left join proven on addresses.address_number = proven.address_number
),

-- Keys that nobody can make by writing a name.
certain as (
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
        'row' as kind,
        concat('row:', common_row) as key
    from described
    where common_row is not null
),

links as (
    select
        address_number as member,
        key
    from certain
),

{{ connected_groups('links', rounds=5) }},

named as (
    select
        connected.label as unit_number,
        described.*
    from described
    inner join connected on described.address_number = connected.member
),

{{ attached_by_name() }},

free as (
    select
        described.*,
        coalesce(attached.is_taken_name, false) as is_taken_name
    from described
    left join attached on described.address_number = attached.address_number
    where not described.is_robot and not described.is_proven and attached.attached_number is null
),

owned as (
    select address
    from described
    where is_proven or is_generic_address
)

select
    address_number,
    kind,
    key
from certain
union all
select
    address_number,
    'name' as kind,
    concat('name:', compared_name) as key
from free
where not (is_generic_name or has_many_names or is_rare_name or is_taken_name)
union all
select
    address_number,
    'name' as kind,
    concat('person:', attached_number) as key
from attached
where attached_number is not null
union all
select distinct
    attached_number as address_number,
    'name' as kind,
    concat('person:', attached_number) as key
from attached
where attached_number is not null
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
