select * from {{ ref('api_v1__billable_developers') }}
order by developer_id
