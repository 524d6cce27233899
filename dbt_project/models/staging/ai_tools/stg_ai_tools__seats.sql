-- Vendors keep no history of seats, so that a connection stores the list of each day.

with {{ present_rows_of_ai_tools('seats') }}

select
    connection_id,
    connection_kind,
    provider_id,
    seen_on,
    tool,
    {{ actor_columns() }},
    plan,
    last_active_at,
    ends_on
from present
where place = 1
