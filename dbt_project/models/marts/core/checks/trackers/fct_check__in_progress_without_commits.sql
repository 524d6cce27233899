with items as (
    select * from {{ ref('int_alignment__items') }}
    where level = 'issue' and started_at is not null
),

commits as (
    select * from {{ ref('int_commits') }}
),

links as (
    select
        links.item_id,
        min(commits.committed_at) as first_commit_at
    from {{ ref('int_alignment__links') }} as links
    inner join commits on links.commit_sha = commits.commit_sha
    group by links.item_id
),

owners as (
    select * from {{ ref('int_alignment__owners') }}
),

states as (
    select
        items.item_id,
        items.repository_id,
        owners.developer_id,
        greatest(items.started_at, items.created_at) as started_at,
        links.first_commit_at,
        items.status_category,
        case when items.status_category <> 'doing' then coalesce(items.completed_at, items.updated_at) end as left_at
    from items
    left join links on items.item_id = links.item_id
    left join owners on items.item_id = owners.item_id
)

select
    'issue' as subject_type,
    item_id as subject_id,
    repository_id,
    developer_id,
    started_at,
    least(first_commit_at, left_at) as ended_at,
    case when first_commit_at <= coalesce(left_at, first_commit_at) then 'commit' when left_at is not null then status_category end
        as ended_by,
    cast(null as bigint) as value_micro
from states
where
    started_at < coalesce(first_commit_at, started_at + interval '1' second)
    and started_at < coalesce(left_at, started_at + interval '1' second)
