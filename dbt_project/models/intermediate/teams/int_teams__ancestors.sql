-- Today's tree, as pairs: a team with itself and with every team that it is a part of.

with recursive teams as (
    select * from {{ ref('stg_control__teams') }}
),

ancestors as (
    select
        team_id,
        name as team_name,
        parent_id,
        team_id as ancestor_id,
        0 as distance
    from teams
    union all
    select
        ancestors.team_id,
        ancestors.team_name,
        ancestors.parent_id,
        teams.parent_id as ancestor_id,
        ancestors.distance + 1 as distance
    from ancestors
    inner join teams on ancestors.ancestor_id = teams.team_id
    -- The API refuses circles. The recursion must end even if one exists.
    where teams.parent_id is not null and ancestors.distance < 100
)

select
    team_id,
    team_name,
    parent_id,
    ancestor_id,
    distance
from ancestors
