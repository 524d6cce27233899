-- The type that a subject declares, as in "feat(parser)!: …". Git's own texts of reverts and merges count too: their
-- other words come from the work that they undo or bring in.

with commits as (
    select * from {{ ref('int_delivered_commits') }}
),

messages as (
    select * from {{ ref('stg_git__commits') }}
),

types as (
    select * from {{ ref('commit_types') }}
),

declared as (
    select
        messages.commit_sha,
        case
            when left(messages.subject, 8) = 'Revert "' then 'revert'
            when commits.is_merge and left(messages.subject, 6) = 'Merge ' then 'merge'
            else lower({{ first_match('messages.subject', pattern_text('^([A-Za-z]{2,9})(?:\\([^()]*\\))?!?: '), 1) }})
        end as type
    from messages
    inner join commits
        on messages.commit_sha = commits.commit_sha and messages.repository_id = commits.repository_id
)

select
    declared.commit_sha,
    declared.type,
    types.category,
    types.is_overrulable
from declared
inner join types on declared.type = types.type
