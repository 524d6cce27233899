select * from {{ ref('api_v1__objectives') }}
order by target_on nulls last, objective_id
