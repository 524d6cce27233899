-- Whom the copyright lines and lines of authors of each delivered file name, beside who committed it.

with copyrights as (
    select * from {{ ref('stg_git__copyrights') }}
),

commits as (
    select
        commit_sha,
        repository_id,
        author_name,
        author_address,
        {{ matches('lower(subject)', pattern_text(var('foreign_adapted_subjects'))) }} as is_told_adapted,
        {{ epoch_micros('authored_at') }} as authored_micros,
        cast(extract(year from authored_at) as integer) as authored_year
    from {{ ref('int_commits') }}
    where delivery_sha is not null and not is_upstream
)

select
    copyrights.repository_id,
    copyrights.commit_sha,
    copyrights.path,
    copyrights.status,
    copyrights.holder,
    {{ compared_name('copyrights.holder') }} as holder_name,
    copyrights.address,
    copyrights.is_author,
    copyrights.first_year,
    copyrights.last_year,
    commits.author_name,
    commits.author_address,
    commits.authored_micros,
    commits.authored_year,
    commits.is_told_adapted
from copyrights
inner join commits on copyrights.commit_sha = commits.commit_sha and copyrights.repository_id = commits.repository_id
