-- The likeliest origin, as fct_bug_origins has it in the first place. Its other columns would make the table of checks the
-- deepest of all.

with summed as (
    select
        commit_sha,
        origin_sha,
        min(age_days) as age_days,
        sum(score_micro) as score_micro
    from {{ ref('int_bugs__scores') }}
    group by commit_sha, origin_sha
    having sum(score_micro) > 0
),

ranked as (
    select
        *,
        row_number() over (partition by commit_sha order by score_micro desc, age_days, origin_sha) as place
    from summed
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
    where not is_bot
)

select
    'commit' as subject_type,
    commits.commit_id as subject_id,
    commits.repository_id,
    commits.developer_id,
    commits.delivered_at as started_at,
    {{ endless() }},
    cast(ranked.age_days as bigint) * 1000000 as value_micro
from ranked
inner join commits on ranked.commit_sha = commits.commit_sha
where ranked.place = 1
