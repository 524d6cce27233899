select * from {{ ref('api_v1__commit_credits') }}
order by commit_id, developer_id
