select * from {{ ref('api_v1__commit_files') }}
order by commit_id, delivery_sha, path
