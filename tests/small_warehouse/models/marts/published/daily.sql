{{ contracted('daily') }}
select * from {{ ref('api_v1__daily') }}
