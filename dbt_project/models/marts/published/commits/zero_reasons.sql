select * from {{ ref('api_v1__zero_reasons') }}
order by zero_reason
