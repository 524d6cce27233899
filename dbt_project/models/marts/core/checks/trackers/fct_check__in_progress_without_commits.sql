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

changes as (
    select
        item_id,
        {{ each('history') }} as change
    from items
),

last_starts as (
    select
        item_id,
        max(change.at) as started_at
    from changes
    where change.after_category = 'doing'
    group by item_id
),

-- Comments move `updated_at`, so that it is the end only where the tracker tells no changes of state.
ends as (
    select
        changes.item_id,
        min(changes.change.at) as left_at
    from changes
    inner join items on changes.item_id = items.item_id
    left join last_starts on changes.item_id = last_starts.item_id
    where
        changes.change.after_category <> 'doing'
        and changes.change.at > coalesce(last_starts.started_at, items.started_at)
    group by changes.item_id
),

states as (
    select
        items.item_id,
        items.repository_id,
        owners.developer_id,
        greatest(items.started_at, items.created_at) as started_at,
        links.first_commit_at,
        items.status_category,
        case
            when items.status_category <> 'doing' then coalesce(ends.left_at, items.completed_at, items.updated_at)
        end as left_at
    from items
    left join ends on items.item_id = ends.item_id
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
