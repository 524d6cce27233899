-- Keys of pull requests that name an item of a tracker, as the tracker writes them.

with keys as (
    select * from {{ ref('int_pull_requests__issue_keys') }}
),

names as (
    select * from {{ ref('int_alignment__names') }}
),

items as (
    select
        item_id,
        key
    from {{ ref('stg_trackers__items') }}
)

select distinct
    keys.pull_request_id,
    items.key
from keys
inner join names on keys.name = names.name
inner join items on names.item_id = items.item_id
where items.key is not null
