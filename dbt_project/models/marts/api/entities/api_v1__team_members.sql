with members as (
    select * from {{ ref('int_teams__members') }}
)

select
    developer_id,
    team_id,
    start_on,
    end_on,
    '{{ var("calculation_version") }}' as calculation_version
from members
