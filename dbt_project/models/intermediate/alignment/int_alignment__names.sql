-- All names of an item, in one spelling. A key that an item gave up counts where no item has it now.

with items as (
    select
        item_id,
        connection_id,
        key,
        previous_keys,
        repository_id,
        number,
        branch_name,
        url
    from {{ ref('stg_trackers__items') }}
),

places as (
    select * from {{ ref('int_alignment__items') }}
),

names as (
    select
        item_id,
        connection_id,
        lower(key) as name,
        0 as age
    from items
    where key is not null
    union all
    select
        item_id,
        connection_id,
        lower(previous_key) as name,
        1 as age
    from (select item_id, connection_id, {{ each('previous_keys') }} as previous_key from items) as moved
    union all
    select
        item_id,
        connection_id,
        {{ numbered_name('repository_id', 'number') }} as name,
        0 as age
    from items
    where repository_id is not null and number is not null
    union all
    select
        item_id,
        connection_id,
        {{ address_name('url') }} as name,
        0 as age
    from items
    where url is not null
    union all
    select
        item_id,
        connection_id,
        {{ branch_name('branch_name') }} as name,
        0 as age
    from items
    where branch_name is not null
),

-- Two trackers may have an item of the same name. The older connection's item counts.
chosen as (
    select
        name,
        item_id,
        row_number() over (partition by name order by age, connection_id, item_id) as place
    from names
)

select
    chosen.name,
    places.counted_item_id as item_id
from chosen
inner join places on chosen.item_id = places.item_id
where chosen.place = 1 and places.counted_item_id is not null
