-- Two developers whose addresses have the same unusual part before the @ may be one person: for an admin to decide.

with addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

developers as (
    select * from {{ ref('int_identity__developers') }}
),

generic as (
    select * from {{ ref('generic_identities') }}
),

parts as (
    select distinct
        {{ replaced('addresses.local_part', pattern_text('^[0-9]+[+-]'), "''") }} as local_part,
        developers.developer_id
    from addresses
    inner join developers on addresses.address_number = developers.address_number
    where not developers.is_robot
),

unusual as (
    select
        parts.local_part,
        parts.developer_id
    from parts
    left join generic on parts.local_part = generic.value
    where generic.value is null and length(parts.local_part) >= {{ var('suggestion_min_length') }}
),

few as (
    select local_part
    from unusual
    group by local_part
    having count(*) between 2 and {{ var('address_max_names') }}
)

select distinct
    one.developer_id,
    other.developer_id as suggested_developer_id,
    concat('SAME_LOCAL_PART:', one.local_part) as reason
from few
inner join unusual as one on few.local_part = one.local_part
inner join unusual as other on few.local_part = other.local_part
where one.developer_id <> other.developer_id
