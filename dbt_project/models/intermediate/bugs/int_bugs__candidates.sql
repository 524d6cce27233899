with scores as (
    select * from {{ ref('int_bugs__scores') }}
),

likelihoods as (
    select * from {{ ref('origin_likelihoods') }}
),

summed as (
    select
        commit_sha,
        origin_sha,
        repository_id,
        min(age_days) as age_days,
        sum(removed_lines) as removed_lines,
        cast(sum(score_micro) as bigint) as score_micro
    from scores
    group by commit_sha, origin_sha, repository_id
    having sum(score_micro) > 0
),

shared as (
    select
        *,
        {{ rounded_ratio(
            wide('score_micro') ~ ' * 1000000', 'sum(score_micro) over (partition by commit_sha)'
        ) }} as share_micro,
        -- Of equal scores the youngest comes first, because there was least time to find its bug.
        row_number() over (partition by commit_sha order by score_micro desc, age_days, origin_sha) as place
    from summed
),

banded as (
    select
        shared.commit_sha,
        shared.origin_sha,
        max(likelihoods.likelihood_micro) as likelihood_micro
    from shared
    inner join likelihoods on shared.share_micro >= likelihoods.share_from_micro
    group by shared.commit_sha, shared.origin_sha
)

select
    shared.commit_sha,
    shared.origin_sha,
    shared.repository_id,
    shared.age_days,
    cast(shared.removed_lines as bigint) as removed_lines,
    shared.score_micro,
    shared.share_micro,
    cast(shared.place as integer) as place,
    banded.likelihood_micro,
    shared.place = 1 or shared.share_micro >= {{ var('origin_answer_share_micro') }} as is_answer
from shared
inner join banded on shared.commit_sha = banded.commit_sha and shared.origin_sha = banded.origin_sha
