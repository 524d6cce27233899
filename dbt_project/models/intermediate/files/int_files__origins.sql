-- The file behind a path from one delivery to another: renames are followed to the path under which it was first
-- known.

with recursive changes as (
    select * from {{ ref('stg_git__file_changes') }}
    where status = 'R'
),

deliveries as (
    select * from {{ ref('int_commit_deliveries') }}
),

renames as (
    select
        changes.repository_id,
        changes.previous_path,
        changes.path,
        deliveries.delivery_number,
        row_number() over (
            partition by changes.repository_id
            order by deliveries.delivery_number, deliveries.commit_number, changes.path
        ) as rename_number
    from changes
    inner join deliveries
        on changes.repository_id = deliveries.repository_id and changes.commit_sha = deliveries.commit_sha
),

linked as (
    select
        renames.repository_id,
        renames.rename_number,
        renames.previous_path,
        max(earlier.rename_number) as earlier_number
    from renames
    left join renames as earlier
        on
            renames.repository_id = earlier.repository_id
            and renames.previous_path = earlier.path
            and renames.rename_number > earlier.rename_number
    group by renames.repository_id, renames.rename_number, renames.previous_path
),

traced as (
    select
        repository_id,
        rename_number,
        previous_path as original_path
    from linked
    where earlier_number is null
    union all
    select
        linked.repository_id,
        linked.rename_number,
        traced.original_path
    from traced
    inner join linked
        on traced.repository_id = linked.repository_id and traced.rename_number = linked.earlier_number
),

-- If a delivery renames several files to one path, the last rename applies.
last_of_delivery as (
    select
        renames.repository_id,
        renames.path,
        renames.delivery_number,
        max_by(traced.original_path, renames.rename_number) as original_path
    from renames
    inner join traced
        on renames.repository_id = traced.repository_id and renames.rename_number = traced.rename_number
    group by renames.repository_id, renames.path, renames.delivery_number
)

select
    repository_id,
    path,
    original_path,
    delivery_number as from_delivery,
    -- A number instead of null: a join on a range with `or` compares every row with every other one.
    coalesce(
        lead(delivery_number) over (partition by repository_id, path order by delivery_number), {{ var('never') }}
    ) as before_delivery
from last_of_delivery
