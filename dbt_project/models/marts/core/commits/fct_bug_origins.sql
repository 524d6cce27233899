with candidates as (
    select * from {{ ref('int_bugs__candidates') }}
)

select
    commit_sha,
    origin_sha,
    repository_id,
    age_days,
    place,
    share_micro,
    likelihood_micro
from candidates
where is_answer
