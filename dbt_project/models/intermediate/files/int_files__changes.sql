{{ config(materialized='view') }}
-- What each delivered commit changed, with the path under which each file was first known. Developers are left out, so that
-- models can look for files of other projects before commits are credited.

with changes as (
    select * from {{ ref('stg_git__file_changes') }}
),

commits as (
    select
        commit_sha,
        repository_id,
        delivery_number,
        commit_number,
        {{ epoch_micros('authored_at') }} as authored_micros
    from {{ ref('int_commits') }}
    where delivery_sha is not null
),

origins as (
    select * from {{ ref('int_files__origins') }}
)

select
    changes.repository_id,
    changes.commit_sha,
    changes.path,
    changes.previous_path,
    coalesce(origins.original_path, changes.path) as original_path,
    changes.status,
    changes.language,
    changes.role,
    changes.is_binary,
    changes.is_generated,
    changes.is_vendored,
    changes.is_minified,
    changes.lines_added,
    changes.lines_deleted,
    commits.delivery_number,
    commits.commit_number,
    commits.authored_micros
from changes
inner join commits on changes.commit_sha = commits.commit_sha and changes.repository_id = commits.repository_id
left join origins
    on
        changes.repository_id = origins.repository_id
        and changes.path = origins.path
        and commits.delivery_number >= origins.from_delivery
        and commits.delivery_number < origins.before_delivery
