with {{ present_rows_of_ai_tools('accounts') }}

select
    connection_id,
    connection_kind,
    provider_id,
    {{ actor_columns() }},
    role,
    added_at
from present
where place = 1
