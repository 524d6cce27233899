select * from {{ ref('api_v1__zero_reason_commits') }}
order by delivered_on, zero_reason, commit_id
