-- The target day is still in time. What came later than its target is late from its creation on.

with items as (
    select * from {{ ref('int_alignment__items') }}
    where level in ('issue', 'sub_objective', 'objective') and target_on is not null and created_at is not null
),

owners as (
    select * from {{ ref('int_alignment__owners') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

dated as (
    select
        items.item_id,
        items.level,
        items.repository_id,
        -- An objective belongs to nobody alone.
        case when items.level = 'issue' then owners.developer_id end as developer_id,
        items.status_category,
        greatest(
            {{ instant_of_local('organization.time_zone', 'cast(' ~ plus_days('items.target_on', 1) ~ ' as timestamp)') }},
            items.created_at
        ) as started_at,
        case
            when items.status_category in ('done', 'canceled') then coalesce(items.completed_at, items.updated_at)
        end as ended_at
    from items
    left join owners on items.item_id = owners.item_id
    cross join organization
)

select
    case level when 'issue' then 'issue' else 'objective' end as subject_type,
    item_id as subject_id,
    repository_id,
    developer_id,
    started_at,
    ended_at,
    case when ended_at is not null then status_category end as ended_by,
    cast(null as bigint) as value_micro
from dated
where started_at < coalesce(ended_at, started_at + interval '1' second)
