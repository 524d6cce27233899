-- Delivered commits whose message declares a fix. Paths do not decide, because tests and documentation are fixed as
-- well. A trailer with the fixed commit is the clearest sign and overrides the other words.

with commits as (
    select * from {{ ref('int_delivered_commits') }}
),

messages as (
    select * from {{ ref('stg_git__commits') }}
),

categories as (
    select * from {{ ref('int_categories__commits') }}
),

told as (
    select
        commits.commit_sha,
        commits.repository_id,
        commits.delivery_sha,
        commits.delivered_on,
        categories.category = 'fixes' as is_fix_by_words,
        categories.method,
        categories.confidence,
        {{ matches('messages.body', pattern_text('(?:^|\\n)[Ff]ixes: *[0-9a-f]{7,40}\\b')) }} as has_trailer
    from commits
    inner join messages
        on commits.commit_sha = messages.commit_sha and commits.repository_id = messages.repository_id
    left join categories on commits.commit_sha = categories.commit_sha
    where not commits.is_merge
)

select
    commit_sha,
    repository_id,
    delivery_sha,
    delivered_on,
    case when has_trailer then 'trailer' else method end as method,
    case when has_trailer then cast({{ var('fix_trailer_confidence') }} as double) else confidence end as confidence
from told
where has_trailer or coalesce(is_fix_by_words, false)
