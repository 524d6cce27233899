with recursive teams as (
    select
        team_id,
        parent_id,
        position::integer as place
    from {{ ref('teams') }}
),

lines as (
    select
        place as team_number,
        place as ancestor_number,
        parent_id as next_id,
        0 as distance
    from teams
    union all
    select
        lines.team_number,
        teams.place as ancestor_number,
        teams.parent_id as next_id,
        lines.distance + 1 as distance
    from lines
    inner join teams on lines.next_id = teams.team_id
    -- The API refuses circles. The recursion must end even if one exists.
    where lines.distance < 100
)

select distinct
    team_number,
    ancestor_number
from lines
order by team_number, ancestor_number
