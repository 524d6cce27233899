select * from {{ ref('fct_team_daily') }}
