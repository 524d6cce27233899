with {{ present_rows_of_ai_tools('commits') }}

select
    connection_id,
    connection_kind,
    provider_id,
    tool,
    commit_sha,
    committed_at,
    {{ actor_columns() }},
    repository_ref,
    branch,
    lines_added,
    lines_removed,
    ai_lines_added,
    ai_lines_removed
from present
where place = 1
