{{ contracted('daily') }}
select * from {{ ref('fct_daily') }}
