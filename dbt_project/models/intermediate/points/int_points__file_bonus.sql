-- What touching an existing file adds: the increase of min(limit, own points of the trailing window) by each commit.

with counted as (
    select * from {{ ref('int_points__counted') }}
    where counted_line_points_micro > 0 and status <> 'A' and role_factor_micro > 0
),

own as (
    select
        commit_sha,
        path,
        repository_id,
        original_path,
        developer_id,
        delivered_micros,
        delivery_number,
        commit_number,
        counted_line_points_micro + counted_removed_points_micro as own_points_micro
    from counted
),

-- The window holds all rows of the same instant; those that come later in it are taken off again.
windows as (
    select
        *,
        sum(own_points_micro) over (
            partition by developer_id, repository_id, original_path
            order by delivered_micros
            range between {{ window_micros() }} preceding and current row
        ) as window_points_micro,
        sum(own_points_micro) over (
            partition by developer_id, repository_id, original_path, delivered_micros
            order by delivery_number desc, commit_number desc, path desc
            rows between unbounded preceding and current row
        ) as own_and_later_points_micro
    from own
),

earned as (
    select
        commit_sha,
        path,
        own_points_micro,
        window_points_micro - own_and_later_points_micro as earlier_points_micro
    from windows
)

select
    commit_sha,
    path,
    cast(
        least({{ var('file_bonus_max_micro') }}, earlier_points_micro + own_points_micro)
        - least({{ var('file_bonus_max_micro') }}, earlier_points_micro) as bigint
    ) as file_bonus_micro
from earned
where earlier_points_micro < {{ var('file_bonus_max_micro') }}
