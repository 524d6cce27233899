with origins as (
    select * from {{ ref('fct_bug_origins') }}
),

fixes as (
    select * from {{ ref('fct_bug_fixes') }}
),

commits as (
    select * from {{ ref('int_commits') }}
)

select
    commits.commit_id,
    origin_commits.commit_id as origin_commit_id,
    origins.origin_sha,
    origins.likelihood_micro,
    origins.age_days,
    fixes.basis
from origins
inner join fixes on origins.commit_sha = fixes.commit_sha
inner join commits on origins.commit_sha = commits.commit_sha
inner join commits as origin_commits on origins.origin_sha = origin_commits.commit_sha
