select * from {{ ref('api_v1__pull_request_commits') }}
order by pull_request_id, commit_id
