-- If people both excluded and included a commit, the exclusion wins.

with decisions as (
    select * from {{ ref('stg_control__commit_exclusions') }}
),

commits as (
    select * from {{ ref('int_commits') }}
),

ranked as (
    select
        *,
        row_number() over (partition by commit_id order by is_excluded desc) as place
    from decisions
)

select
    commits.commit_sha,
    ranked.is_excluded,
    ranked.reason,
    ranked.note
from ranked
inner join commits on ranked.commit_id = commits.commit_id
where ranked.place = 1
