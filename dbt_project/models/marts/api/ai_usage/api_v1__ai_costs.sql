select * from {{ ref('fct_ai_costs') }}
