-- With these rows the API judges settings that nobody has stored yet.

with stretches as (
    select * from {{ ref('fct_check_stretches') }}
)

select
    kind,
    subject_type,
    subject_id,
    repository_id,
    developer_id,
    team_id,
    started_at,
    ended_at,
    ended_by,
    value_micro,
    worked_at_start,
    worked_at_end,
    usual_micro,
    subject_title
from stretches
