-- Two developers may be one person if they share a full name, also in another order or spelling or with an addition, or an
-- unusual part before the @, if the name of one is the login of the other, or if a mailmap joins them. An administrator
-- decides. After a split or a dismissal, the same two are not suggested again.

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
        addresses.compared_name like '% %' and not addresses.is_program_name and generic.value is null as has_full_name,
        {{ name_spelling('addresses.name') }} as spelling,
        {{ compared_login('addresses.name') }} as bare_name,
        addresses.domain,
        {{ replaced('addresses.local_part', pattern_text('^[0-9]+[+-]'), "''") }} as local_part
    from addresses
    inner join developers on addresses.address_number = developers.address_number
    left join generic on addresses.compared_name = generic.value and generic.kind = 'name'
    where not developers.is_robot
),

-- Converted histories name a login, with and without an address.
bare_logins as (
    select distinct bare_name
    from people
    where domain = '' and bare_name not like '% %' and length(bare_name) >= {{ var('login_name_min_length') }}
),

offered as (
    select
        developer_id,
        'SAME_LOCAL_PART' as kind,
        local_part as value
    from people
    where length(local_part) >= {{ var('suggestion_min_length') }}
    union distinct
    select
        developer_id,
        'SAME_FULL_NAME' as kind,
        compared_name as value
    from people
    where has_full_name
    union distinct
    select
        developer_id,
        'SIMILAR_NAME' as kind,
        spelling as value
    from people
    where has_full_name and spelling like '% %'
    union distinct
    select
        people.developer_id,
        'SAME_LOGIN' as kind,
        people.bare_name as value
    from people
    inner join bare_logins on people.bare_name = bare_logins.bare_name
    where people.domain = '' or people.local_part = people.bare_name
    union distinct
    select
        people.developer_id,
        'MAILMAP' as kind,
        mailmap.proper_address as value
    from people
    inner join mailmap on people.address_number = mailmap.address_number
    union distinct
    select
        people.developer_id,
        'NAME_IS_LOGIN' as kind,
        login_names.login as value
    from people
    inner join login_names on people.address_number = login_names.address_number
),

name_words as (
    select distinct {{ each(words_of('compared_name')) }} as value
    from people
    where has_full_name
),

-- What many people share. Thomas of one company is not Thomas of another: in six histories 38 of 63 equal parts before the
-- @ were of one person, without first and family names 38 of 39.
common as (
    select
        'SAME_LOCAL_PART' as kind,
        value
    from generic
    union distinct
    select
        'SAME_LOCAL_PART' as kind,
        value
    from name_words
    union distinct
    select
        'SAME_LOGIN' as kind,
        value
    from generic
    union distinct
    select
        'SIMILAR_NAME' as kind,
        value
    from generic
    where kind = 'name'
),

clues as (
    select
        offered.developer_id,
        concat(offered.kind, ':', offered.value) as reason
    from offered
    left join common on offered.kind = common.kind and offered.value = common.value
    where common.value is null
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
