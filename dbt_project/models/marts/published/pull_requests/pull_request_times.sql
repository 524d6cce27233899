select * from {{ ref('api_v1__pull_request_times') }}
order by pull_request_id, measure
