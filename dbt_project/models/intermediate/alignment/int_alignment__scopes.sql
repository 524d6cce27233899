with links as (
    select
        commit_sha,
        item_id
    from {{ ref('int_alignment__links') }}
),

items as (
    select
        item_id,
        type_name
    from {{ ref('stg_trackers__items') }}
),

goals as (
    select
        item_id,
        ancestor_id
    from {{ ref('int_alignment__ancestors') }}
    where ancestor_level in ('objective', 'sub_objective')
)

select
    links.commit_sha,
    {{ collected_distinct('lower(items.type_name)') }} as issue_types,
    {{ collected_distinct('goals.ancestor_id') }} as objective_ids
from links
inner join items on links.item_id = items.item_id
left join goals on links.item_id = goals.item_id
group by links.commit_sha
