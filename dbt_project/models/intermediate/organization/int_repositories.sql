with runs as (
    select * from {{ ref('stg_git__repository_runs') }}
),

settings as (
    select * from {{ ref('stg_control__repositories') }}
)

select
    coalesce(runs.repository_id, settings.repository_id) as repository_id,
    coalesce(settings.name, runs.name) as name,
    coalesce(settings.origin, runs.origin) as origin,
    runs.default_branch,
    runs.head_sha,
    coalesce(settings.is_sandbox, false) as is_sandbox,
    -- Facts without settings belong to a repository that is being removed.
    coalesce(settings.is_excluded, true) as is_excluded,
    coalesce(settings.is_disabled, false) as is_disabled,
    coalesce(runs.is_shallow, false) as is_shallow,
    coalesce(runs.is_partial, false) as is_partial,
    coalesce(runs.skipped_objects, 0) as skipped_objects,
    coalesce(runs.misdated_deliveries, 0) as misdated_deliveries,
    settings.analysis_start_at,
    settings.tags,
    settings.unread_since
from runs
full outer join settings on runs.repository_id = settings.repository_id
