-- An occurrence belongs to the person and team of its last episode, and so does its history.

with episodes as (
    select * from {{ ref('fct_check_episodes') }}
),

owners as (
    select
        occurrence_id,
        max_by(developer_id, number) as developer_id,
        max_by(team_id, number) as team_id
    from episodes
    group by occurrence_id
)

select
    episodes.occurrence_id,
    episodes.number,
    owners.developer_id,
    owners.team_id,
    episodes.opened_at,
    episodes.ended_at,
    episodes.ended_by,
    episodes.measured_micro,
    episodes.threshold_micro,
    episodes.is_critical
from episodes
inner join owners on episodes.occurrence_id = owners.occurrence_id
