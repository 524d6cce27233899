-- By the address that the tracker shows, else by a full name that only one developer has, as accounts of hosts are found.

with items as (
    select
        item_id,
        {{ compared_address('assignee_email') }} as address,
        {{ compared_name('assignee_name') }} as compared_name
    from {{ ref('stg_trackers__items') }}
    where assignee_email is not null or assignee_name is not null
),

addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

developers as (
    select * from {{ ref('int_identity__developers') }}
),

by_address as (
    select
        address,
        min(developer_id) as developer_id
    from developers
    where address <> ''
    group by address
    having count(distinct developer_id) = 1
),

by_name as (
    select
        addresses.compared_name,
        min(developers.developer_id) as developer_id
    from addresses
    inner join developers on addresses.address_number = developers.address_number
    where addresses.compared_name like '% %'
    group by addresses.compared_name
    having count(distinct developers.developer_id) = 1
)

select
    items.item_id,
    coalesce(by_address.developer_id, by_name.developer_id) as developer_id
from items
left join by_address on items.address = by_address.address
left join by_name on items.compared_name = by_name.compared_name
where coalesce(by_address.developer_id, by_name.developer_id) is not null
