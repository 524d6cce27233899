select * from {{ ref('api_v1__line_kinds') }}
order by kind
