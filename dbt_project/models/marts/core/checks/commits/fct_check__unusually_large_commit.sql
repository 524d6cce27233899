-- The geometric mean of the hundred commits before is the usual size: single large ones hardly move it.

with commits as (
    select * from {{ ref('fct_commits') }}
    where is_counted and not is_bot and not is_merge and delivered_at is not null and novel_lines > 0
),

compared as (
    select
        *,
        count(*) over (
            partition by repository_id order by delivered_at, commit_id rows between 100 preceding and 1 preceding
        ) as commits_before,
        avg(ln(novel_lines)) over (
            partition by repository_id order by delivered_at, commit_id rows between 100 preceding and 1 preceding
        ) as usual_logarithm
    from commits
)

select
    'commit' as subject_type,
    commit_id as subject_id,
    repository_id,
    developer_id,
    delivered_at as started_at,
    {{ endless() }},
    cast(round(novel_lines / exp(usual_logarithm) * 100) as bigint) * 10000 as value_micro
from compared
where novel_lines >= {{ var('check_large_commit_lines') }} and commits_before >= {{ var('check_usual_commits') }}
