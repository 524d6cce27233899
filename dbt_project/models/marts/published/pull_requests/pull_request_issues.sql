select * from {{ ref('api_v1__pull_request_issues') }}
order by pull_request_id, item_id
