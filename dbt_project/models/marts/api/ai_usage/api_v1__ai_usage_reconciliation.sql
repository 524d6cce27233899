select * from {{ ref('fct_ai_usage_reconciliation') }}
