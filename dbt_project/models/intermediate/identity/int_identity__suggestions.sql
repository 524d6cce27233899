-- Two developers may be one person if they share a full name, also in another order or spelling or with an addition, or an
-- unusual part before the @, if the name of one is the login of the other, or if a mailmap joins them. An administrator decides. After a split or a dismissal, the
-- same two are not suggested again.

with addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

developers as (
    select * from {{ ref('int_identity__developers') }}
),

generic as (
    select * from {{ ref('generic_identities') }}
),

mailmap as (
    select * from {{ ref('int_identity__mailmap') }}
),

login_names as (
    select * from {{ ref('int_identity__login_names') }}
),

known as (
    select * from {{ ref('int_identity__known_ids') }}
),

dismissals as (
    select * from {{ ref('stg_control__suggestion_dismissals') }}
),

people as (
    select
        developers.developer_id,
        addresses.address_number,
        addresses.compared_name,
        addresses.is_program_name,
        {{ name_spelling('addresses.name') }} as spelling,
        {{ compared_login('addresses.name') }} as bare_name,
        addresses.domain,
        {{ replaced('addresses.local_part', pattern_text('^[0-9]+[+-]'), "''") }} as local_part
    from addresses
    inner join developers on addresses.address_number = developers.address_number
    where not developers.is_robot
),

-- Converted histories name a login, with and without an address.
bare_logins as (
    select distinct people.bare_name
    from people
    left join generic on people.bare_name = generic.value
    where
        generic.value is null
        and people.domain = ''
        and people.bare_name not like '% %'
        and length(people.bare_name) >= {{ var('login_name_min_length') }}
),

clues as (
    select
        people.developer_id,
        concat('SAME_LOCAL_PART:', people.local_part) as reason
    from people
    left join generic on people.local_part = generic.value
    where generic.value is null and length(people.local_part) >= {{ var('suggestion_min_length') }}
    group by people.developer_id, people.local_part
    union all
    select
        people.developer_id,
        concat('SAME_FULL_NAME:', people.compared_name) as reason
    from people
    left join generic on people.compared_name = generic.value and generic.kind = 'name'
    where generic.value is null and people.compared_name like '% %' and not people.is_program_name
    group by people.developer_id, people.compared_name
    union all
    select
        people.developer_id,
        concat('SIMILAR_NAME:', people.spelling) as reason
    from people
    left join generic
        on (people.spelling = generic.value or people.compared_name = generic.value) and generic.kind = 'name'
    where generic.value is null and people.spelling like '% %' and not people.is_program_name
    group by people.developer_id, people.spelling
    union all
    select
        people.developer_id,
        concat('SAME_LOGIN:', people.bare_name) as reason
    from people
    inner join bare_logins on people.bare_name = bare_logins.bare_name
    where people.domain = '' or people.local_part = people.bare_name
    group by people.developer_id, people.bare_name
    union all
    select
        people.developer_id,
        concat('MAILMAP:', mailmap.proper_address) as reason
    from people
    inner join mailmap on people.address_number = mailmap.address_number
    group by people.developer_id, mailmap.proper_address
    union all
    select
        people.developer_id,
        concat('NAME_IS_LOGIN:', login_names.login) as reason
    from people
    inner join login_names on people.address_number = login_names.address_number
    group by people.developer_id, login_names.login
),

few as (
    select reason
    from clues
    group by reason
    having count(*) between 2 and {{ var('address_max_names') }}
),

-- Found groups that a split, or a merge after a split, has divided among several developers.
divided as (
    select found_group_number
    from developers
    group by found_group_number
    having count(distinct developer_id) > 1
),

dismissed as (
    select distinct
        dismissals.dismissal_id,
        known.developer_id
    from dismissals
    inner join known on dismissals.developer_id = known.known_developer_id
),

parted as (
    select
        one.developer_id,
        other.developer_id as suggested_developer_id
    from divided
    inner join developers as one on divided.found_group_number = one.found_group_number
    inner join developers as other on divided.found_group_number = other.found_group_number
    union all
    select
        one.developer_id,
        other.developer_id as suggested_developer_id
    from dismissed as one
    inner join dismissed as other on one.dismissal_id = other.dismissal_id
),

parted_pairs as (
    select distinct
        developer_id,
        suggested_developer_id
    from parted
),

pairs as (
    select
        one.developer_id,
        other.developer_id as suggested_developer_id,
        few.reason,
        -- An equal name is similar too.
        case when few.reason like 'SIMILAR_NAME:%' then 1 else 0 end as is_similar_name,
        max(case when few.reason like 'SAME_FULL_NAME:%' then 1 else 0 end)
            over (partition by one.developer_id, other.developer_id) as is_same_name
    from few
    inner join clues as one on few.reason = one.reason
    inner join clues as other on few.reason = other.reason
    left join parted_pairs
        on one.developer_id = parted_pairs.developer_id and other.developer_id = parted_pairs.suggested_developer_id
    where one.developer_id <> other.developer_id and parted_pairs.developer_id is null
)

select
    developer_id,
    suggested_developer_id,
    reason
from pairs
where is_similar_name = 0 or is_same_name = 0
