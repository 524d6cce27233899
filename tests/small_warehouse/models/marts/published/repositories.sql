{{ contracted('repositories') }}
select
    row_number() over (order by repositories.repository_id) - 1 as position,
    repositories.repository_id,
    repositories.name,
    repositories.origin,
    runs.default_branch,
    runs.head_sha,
    repositories.is_sandbox,
    repositories.is_excluded,
    repositories.is_disabled,
    repositories.tags,
    runs.is_shallow,
    runs.is_partial,
    runs.commit_count,
    '{{ var("calculation_version") }}' as calculation_version
from {{ source('control', 'repositories') }} as repositories
left join {{ source('git', 'repository_runs') }} as runs using (repository_id)
