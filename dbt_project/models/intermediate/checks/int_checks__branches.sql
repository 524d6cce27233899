with refs as (
    select
        repository_id,
        head_sha,
        regexp_replace(name, '^refs/(heads|remotes/origin)/', '') as branch
    from {{ ref('stg_git__refs') }}
    where kind in ('branch', 'remote_branch') and not is_default
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

unmerged as (
    select * from {{ ref('stg_git__reachability') }}
    where not from_default
),

commits as (
    select * from {{ ref('int_commits') }}
)

-- A checkout may have a branch twice, its own and that of its remote.
select
    refs.repository_id,
    refs.branch,
    max(commits.committed_at) as committed_at,
    max_by(refs.head_sha, commits.committed_at) as head_sha
from refs
inner join repositories
    on refs.repository_id = repositories.repository_id and refs.branch != repositories.default_branch
inner join unmerged on refs.repository_id = unmerged.repository_id and refs.head_sha = unmerged.commit_sha
inner join commits on refs.head_sha = commits.commit_sha
group by refs.repository_id, refs.branch
