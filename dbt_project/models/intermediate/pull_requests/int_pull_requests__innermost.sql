-- The pull request of a delivered commit. A release merges many pull requests: of several, the one with the fewest
-- commits is the commit's own.

with commits as (
    select * from {{ ref('int_pull_requests__commits') }}
),

pull_requests as (
    select
        pull_request_id,
        number
    from {{ ref('stg_hosts__pull_requests') }}
),

sized as (
    select
        *,
        count(*) over (partition by pull_request_id) as commits
    from commits
),

placed as (
    select
        *,
        row_number() over (partition by repository_id, commit_sha order by commits, pull_request_id) as place
    from sized
)

select
    placed.repository_id,
    placed.commit_sha,
    placed.pull_request_id,
    cast(pull_requests.number as bigint) as number,
    placed.how
from placed
inner join pull_requests on placed.pull_request_id = pull_requests.pull_request_id
where placed.place = 1
