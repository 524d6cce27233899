select * from {{ ref('api_v1__reviews') }}
order by reviewed_on desc, pull_request_id, reviewer
