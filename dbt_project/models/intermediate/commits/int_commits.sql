-- A commit that several repositories have counts once, where it was first delivered.

with commits as (
    select * from {{ ref('stg_git__commits') }}
),

reachable as (
    select * from {{ ref('stg_git__reachability') }}
    where is_reachable
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

deliveries as (
    select * from {{ ref('int_commit_deliveries') }}
),

upstream as (
    select * from {{ ref('int_commit_upstream') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

candidates as (
    select
        reachable.commit_sha,
        reachable.repository_id,
        deliveries.delivery_sha,
        deliveries.delivery_number,
        deliveries.commit_number,
        deliveries.delivered_at,
        coalesce(deliveries.is_unrelated_root, false) as is_unrelated_root,
        upstream.commit_sha is not null as is_upstream,
        row_number() over (
            partition by reachable.commit_sha
            order by
                repositories.is_excluded, repositories.is_sandbox, upstream.commit_sha is not null,
                deliveries.delivered_at nulls last,
                reachable.repository_id
        ) as choice
    from reachable
    inner join repositories on reachable.repository_id = repositories.repository_id
    left join deliveries
        on reachable.commit_sha = deliveries.commit_sha and reachable.repository_id = deliveries.repository_id
    left join upstream
        on reachable.commit_sha = upstream.commit_sha and reachable.repository_id = upstream.repository_id
)

select
    commits.commit_id,
    commits.commit_sha,
    commits.repository_id,
    commits.is_merge,
    {{ size_of('commits.parent_shas') }} = 0 as is_root,
    commits.parent_shas,
    commits.author_name as written_author_name,
    commits.author_email as written_author_email,
    trim(commits.author_name) as author_name,
    {{ compared_address('commits.author_email') }} as author_address,
    {{ compared_address('commits.committer_email') }} as committer_address,
    -- Nobody writes a commit a day after its delivery: the clock was wrong.
    case
        when {{ epoch_micros('commits.authored_at') }} > {{ epoch_micros('candidates.delivered_at') }} + 86400000000
            then candidates.delivered_at
        else commits.authored_at
    end as authored_at,
    commits.committed_at,
    commits.subject,
    commits.files_changed,
    commits.lines_added,
    commits.lines_deleted,
    candidates.delivery_sha,
    candidates.delivery_number,
    candidates.commit_number,
    candidates.delivered_at,
    cast({{ local_time('organization.time_zone', 'candidates.delivered_at') }} as date) as delivered_on,
    candidates.is_unrelated_root,
    candidates.is_upstream
from commits
inner join candidates
    on commits.commit_sha = candidates.commit_sha and commits.repository_id = candidates.repository_id
cross join organization
where candidates.choice = 1
