with scores as (
    select * from {{ ref('int_bugs__scores') }}
),

shared as (
    select
        *,
        sum(score_micro) over (partition by commit_sha) as fix_score_micro
    from scores
),

aged as (
    select
        commit_sha,
        repository_id,
        path,
        case
            when age_days < 14 then 'two_weeks'
            when age_days < 91 then 'quarter'
            when age_days < 365 then 'year'
            else 'older'
        end as age_band,
        {{ rounded_ratio(wide('score_micro') ~ ' * 1000000', 'fix_score_micro') }} as fix_share_micro
    from shared
    where fix_score_micro > 0
)

select
    repository_id,
    path,
    age_band,
    count(distinct commit_sha) as fixes,
    cast(sum(fix_share_micro) as bigint) as expected_fixes_micro
from aged
group by repository_id, path, age_band
