with fixes as (
    select * from {{ ref('int_bugs__fixes') }}
),

candidates as (
    select * from {{ ref('int_bugs__candidates') }}
),

answers as (
    select
        commit_sha,
        sum(removed_lines) as removed_lines,
        count(case when is_answer then 1 end) as origins,
        max(case when place = 1 then likelihood_micro end) as likelihood_micro
    from candidates
    group by commit_sha
)

select
    fixes.commit_sha,
    fixes.repository_id,
    fixes.delivered_on,
    fixes.confidence as fix_confidence,
    coalesce(answers.origins, 0) as origins,
    answers.likelihood_micro,
    case
        when answers.removed_lines > 0 then 'REMOVED_LINES'
        when answers.commit_sha is not null then 'SURROUNDINGS'
    end as basis,
    case when answers.commit_sha is null then 'NO_EARLIER_LINES' end as no_answer_reason
from fixes
left join answers on fixes.commit_sha = answers.commit_sha
