select * from {{ ref('api_v1__commit_origins') }}
order by commit_id, origin_commit_id
