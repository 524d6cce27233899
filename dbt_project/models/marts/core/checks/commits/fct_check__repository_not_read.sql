-- The settings know since when the newest reading fails, and keep no history of it: what is read again leaves the
-- occurrences.

with repositories as (
    select * from {{ ref('int_repositories') }}
    where unread_since is not null and not is_disabled
)

select
    'repository' as subject_type,
    repository_id as subject_id,
    repository_id,
    cast(null as {{ dbt.type_string() }}) as developer_id,
    unread_since as started_at,
    {{ endless() }},
    cast(null as bigint) as value_micro
from repositories
