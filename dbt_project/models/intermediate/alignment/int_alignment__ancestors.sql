-- The hierarchy of a tracker as pairs: an item with itself and with every item above it. A parent that is deleted or
-- unknown ends the climb. A circle ends at its item with the smallest id, which is above the others and below nothing.

with recursive items as (
    select
        item_id,
        connection_id,
        provider_id,
        kind,
        parent_ids
    from {{ ref('stg_trackers__items') }}
),

levels as (
    select * from {{ ref('stg_control__connection_levels') }}
),

leveled as (
    select
        items.item_id,
        coalesce(levels.level, 'issue') as level
    from items
    left join levels on items.connection_id = levels.connection_id and items.kind = levels.item_kind
),

named_parents as (
    select
        item_id,
        connection_id,
        {{ each_numbered('parent_ids', 'parent_number', 'parent_id') }}
    from items
),

-- Of several parents the first one that exists counts.
known_parents as (
    select
        named_parents.item_id,
        items.item_id as parent_item_id,
        row_number() over (partition by named_parents.item_id order by named_parents.parent_number) as parent_place
    from named_parents
    inner join items
        on named_parents.connection_id = items.connection_id and named_parents.parent_id = items.provider_id
    where named_parents.item_id <> items.item_id
),

parents as (
    select
        item_id,
        parent_item_id
    from known_parents
    where parent_place = 1
),

climbed as (
    select
        item_id,
        item_id as ancestor_id,
        0 as distance
    from items
    union all
    select
        climbed.item_id,
        parents.parent_item_id as ancestor_id,
        climbed.distance + 1 as distance
    from climbed
    inner join parents on climbed.ancestor_id = parents.item_id
    -- The limit ends a circle.
    where climbed.distance < {{ var('hierarchy_depth') }} and parents.parent_item_id <> climbed.item_id
),

-- In a circle above the item, the climb meets an ancestor again.
nearest as (
    select
        item_id,
        ancestor_id,
        min(distance) as distance
    from climbed
    group by item_id, ancestor_id
),

-- Two items that are above each other are in one circle.
tops as (
    select ups.item_id
    from nearest as ups
    inner join nearest as downs on ups.item_id = downs.ancestor_id and ups.ancestor_id = downs.item_id
    where ups.distance > 0
    group by ups.item_id
    having ups.item_id < min(ups.ancestor_id)
),

ends as (
    select
        nearest.item_id,
        nearest.distance
    from nearest
    inner join tops on nearest.ancestor_id = tops.item_id
)

select
    nearest.item_id,
    nearest.ancestor_id,
    cast(nearest.distance as integer) as distance,
    leveled.level as ancestor_level
from nearest
inner join leveled on nearest.ancestor_id = leveled.item_id
left join ends on nearest.item_id = ends.item_id
where ends.distance is null or nearest.distance <= ends.distance
