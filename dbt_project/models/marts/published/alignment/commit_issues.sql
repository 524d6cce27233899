select * from {{ ref('api_v1__commit_issues') }}
order by commit_id, place
