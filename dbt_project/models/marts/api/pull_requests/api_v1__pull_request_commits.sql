with links as (
    select * from {{ ref('int_pull_requests__commits') }}
),

known as (
    select pull_request_id
    from {{ ref('fct_pull_requests') }}
),

commits as (
    select * from {{ ref('fct_commits') }}
)

select
    links.pull_request_id,
    commits.commit_id,
    commits.commit_sha,
    links.how,
    commits.etv_micro
from links
inner join known on links.pull_request_id = known.pull_request_id
inner join commits on links.commit_sha = commits.commit_sha
