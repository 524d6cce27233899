-- No model of pull requests exists yet, so no commit has linked issues of its pull request.

with items as (
    select * from {{ ref('stg_trackers__items') }}
)

select
    cast(null as {{ dbt.type_string() }}) as commit_sha,
    repository_id,
    item_id
from items
where 1 = 0
