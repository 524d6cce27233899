with units as (
    select * from {{ ref('int_identity__units') }}
),

known as (
    select * from {{ ref('int_identity__unit_ids') }}
),

decided as (
    select * from {{ ref('stg_control__identity_merges') }}
),

links as (
    select
        unit_number as member,
        concat('unit:', unit_developer_id) as key
    from units
    union all
    select
        known.unit_number as member,
        concat('merge:', decided.merge_id) as key
    from decided
    inner join known on decided.developer_id = known.known_developer_id
),

{{ connected_groups('links', rounds=8) }},

firsts as (
    select
        unit_number as first_unit_number,
        unit_developer_id as developer_id
    from units
)

select
    connected.member as unit_number,
    connected.label as first_unit_number,
    firsts.developer_id
from connected
inner join firsts on connected.label = firsts.first_unit_number
