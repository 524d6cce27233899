-- Depth first: a team and all teams below it have numbers in a row.

with recursive marts as (
    select * from {{ ref('api_v1__teams') }}
),

paths as (
    select
        team_id,
        [team_id] as path
    from marts
    where parent_id is null
    union all
    select
        marts.team_id,
        list_append(paths.path, marts.team_id) as path
    from marts
    inner join paths on marts.parent_id = paths.team_id
    -- The API refuses circles. The recursion must end even if one exists.
    where len(paths.path) < 100
),

sorted as (
    select marts.*
    from marts
    left join paths on marts.team_id = paths.team_id
    order by coalesce(paths.path, [marts.team_id]), marts.team_id
)

select
    (row_number() over () - 1)::bigint as position,
    *
from sorted
