select * from {{ ref('api_v1__issues') }}
order by updated_at desc, issue_id
