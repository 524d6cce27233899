-- What may join two addresses. An address of a host that carries a login joins through the login. Anybody can write
-- under anybody's name, and whoever may commit can write a mailmap: neither joins what belongs to a login or to a member.

with addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

robots as (
    select * from {{ ref('int_identity__robots') }}
),

generic as (
    select * from {{ ref('generic_identities') }}
),

members as (
    select distinct mailbox_id
    from {{ ref('stg_control__member_mailboxes') }}
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

described as (
    select
        addresses.address_number,
        addresses.address,
        addresses.compared_name,
        addresses.local_part,
        addresses.domain,
        robots.address_number is not null as is_robot,
        members.mailbox_id is not null as is_of_member,
        addresses.address = ''
        or addresses.domain = ''
        or generic_parts.value is not null
        or generic_domains.value is not null
        or shared.address is not null as is_generic_address,
        addresses.compared_name not like '% %' or generic_names.value is not null as is_generic_name,
        {{ matches('addresses.domain', pattern_text('^users\\.noreply\\.|^noreply\\.')) }} as is_of_host
    from addresses
    left join robots on addresses.address_number = robots.address_number
    left join generic as generic_parts
        on addresses.local_part = generic_parts.value and generic_parts.kind = 'local_part'
    left join generic as generic_domains
        on addresses.domain = generic_domains.value and generic_domains.kind = 'domain'
    left join generic as generic_names
        on addresses.compared_name = generic_names.value and generic_names.kind = 'name'
    left join shared on addresses.address = shared.address
    left join members on addresses.mailbox_id = members.mailbox_id
),

owned as (
    select address
    from described
    where is_of_host or is_of_member or is_generic_address
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
where not is_generic_address
union all
select
    address_number,
    'login' as kind,
    concat(
        'login:', domain, ' ',
        {{ first_match('local_part', pattern_text('^(?:[0-9]+[+-])?(.+)$'), 1) }}
    ) as key
from described
where is_of_host and not is_generic_address
union all
select
    address_number,
    'account' as kind,
    concat('account:', domain, ' ', {{ first_match('local_part', pattern_text('^([0-9]+)[+-]'), 1) }}) as key
from described
where is_of_host and not is_generic_address and {{ matches('local_part', pattern_text('^[0-9]+[+-]')) }}
union all
select
    address_number,
    'name' as kind,
    concat('name:', compared_name) as key
from described
where not is_generic_name and not is_robot and not is_of_host and not is_of_member
union all
select
    described.address_number,
    'mailmap' as kind,
    concat('mailmap:', mailmap.proper_address) as key
from described
inner join mailmap on described.address_number = mailmap.address_number
left join owned on mailmap.proper_address = owned.address
where
    not described.is_generic_address
    and not described.is_robot
    and not described.is_of_host
    and not described.is_of_member
    and owned.address is null
