select * from {{ ref('api_v1__merge_suggestions') }}
order by suggestion_id
