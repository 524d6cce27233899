select * from {{ ref('fct_daily') }}
