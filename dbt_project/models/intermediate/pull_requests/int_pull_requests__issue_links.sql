-- Issues that delivered commits have of their pull request. A release merges many pull requests: its commits have the
-- issues of their own ones.

with issues as (
    select * from {{ ref('int_pull_requests__issues') }}
),

commits as (
    select * from {{ ref('int_pull_requests__innermost') }}
)

select
    commits.commit_sha,
    commits.repository_id,
    issues.item_id
from commits
inner join issues on commits.pull_request_id = issues.pull_request_id
