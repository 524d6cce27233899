with billable as (
    select * from {{ ref('fct_billable_developers') }}
)

select
    developer_id,
    name,
    primary_email,
    renews_on,
    last_delivered_on
from billable
