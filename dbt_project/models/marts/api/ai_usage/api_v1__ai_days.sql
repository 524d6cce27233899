select * from {{ ref('fct_ai_days') }}
