with evidence as (
    select * from {{ ref('int_ai__evidence') }}
)

select
    commit_id,
    tool,
    role,
    signal,
    matched_text,
    confidence,
    pull_request_id
from evidence
