-- Signs of AI tools that a pull request shows hold for its delivered commits, however it was merged. A release merges many
-- pull requests: its commits keep their own ones.

with signs as (
    select * from {{ ref('int_pull_requests__own_signs') }}
),

innermost as (
    select * from {{ ref('int_pull_requests__innermost') }}
)

select
    innermost.commit_sha,
    signs.pull_request_id,
    signs.tool,
    signs.role,
    signs.signal,
    signs.matched_text,
    signs.confidence
from signs
inner join innermost on signs.pull_request_id = innermost.pull_request_id
