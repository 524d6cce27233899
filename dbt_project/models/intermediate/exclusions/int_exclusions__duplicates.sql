-- The same change of a file, delivered again: by the hash of its added and removed code, across repositories.

with delivered as (
    select * from {{ ref('int_points__delivered_lines') }}
    where novel_lines >= {{ var('duplicate_novel_lines') }} and content_hash is not null
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

decisions as (
    select * from {{ ref('int_exclusions__decisions') }}
),

repeated as (
    select content_hash
    from delivered
    group by content_hash
    having count(distinct concat(delivery_sha, ' ', path)) > 1
),

candidates as (
    select
        delivered.content_hash,
        delivered.repository_id,
        delivered.delivery_sha,
        delivered.path,
        -- A manually excluded commit is not the original of duplicates.
        min(case when decisions.is_excluded then 1 else 0 end) as is_left_out
    from delivered
    inner join repeated on delivered.content_hash = repeated.content_hash
    left join decisions on delivered.commit_sha = decisions.commit_sha
    group by delivered.content_hash, delivered.repository_id, delivered.delivery_sha, delivered.path
),

ordered as (
    select
        candidates.content_hash,
        candidates.delivery_sha,
        candidates.path,
        row_number() over (
            partition by candidates.content_hash
            order by
                candidates.is_left_out, repositories.is_excluded, repositories.is_sandbox, delivery.delivered_micros,
                candidates.repository_id, delivery.delivery_number, candidates.path
        ) as occurrence
    from candidates
    inner join repositories on candidates.repository_id = repositories.repository_id
    inner join commits as delivery on candidates.delivery_sha = delivery.commit_sha
)

select
    later.delivery_sha,
    later.path,
    earliest.delivery_sha as first_delivery_sha,
    earliest.path as first_path
from ordered as later
inner join ordered as earliest on later.content_hash = earliest.content_hash and earliest.occurrence = 1
where later.occurrence > 1
