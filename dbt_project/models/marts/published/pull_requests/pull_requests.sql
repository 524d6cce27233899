select * from {{ ref('api_v1__pull_requests') }}
order by created_at desc, pull_request_id
