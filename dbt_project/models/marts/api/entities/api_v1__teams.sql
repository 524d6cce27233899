with teams as (
    select * from {{ ref('dim_teams') }}
)

select
    team_id,
    parent_id,
    name,
    depth,
    sub_team_count,
    developer_count,
    own_developer_count,
    '{{ var("calculation_version") }}' as calculation_version
from teams
