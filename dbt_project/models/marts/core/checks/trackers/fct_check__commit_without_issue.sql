with commits as (
    select * from {{ ref('fct_commits') }}
    where is_counted and not is_bot and not is_merge and delivered_at is not null
),

aligned as (
    select * from {{ ref('int_alignment__commits') }}
    where issue_count = 0
),

-- Nobody could name an issue before there was one.
trackers as (
    select min(created_at) as first_item_at
    from {{ ref('int_alignment__items') }}
)

select
    'commit' as subject_type,
    commits.commit_id as subject_id,
    commits.repository_id,
    commits.developer_id,
    commits.delivered_at as started_at,
    {{ endless() }},
    cast(null as bigint) as value_micro
from commits
inner join aligned on commits.commit_sha = aligned.commit_sha
inner join trackers on commits.delivered_at >= trackers.first_item_at
