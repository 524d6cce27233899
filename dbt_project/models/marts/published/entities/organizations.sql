select * from {{ ref('api_v1__organizations') }}
order by organization_id
