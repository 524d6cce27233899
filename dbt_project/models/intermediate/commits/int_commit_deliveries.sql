with deliveries as (
    select * from {{ ref('stg_git__deliveries') }}
),

commits as (
    select
        repository_id,
        delivery_sha,
        position as delivery_number,
        delivered_at,
        is_unrelated_root,
        {{ each_numbered('commit_shas', 'commit_number', 'commit_sha') }}
    from deliveries
)

select
    repository_id,
    commit_sha,
    delivery_sha,
    delivery_number,
    commit_number,
    delivered_at,
    is_unrelated_root
from commits
