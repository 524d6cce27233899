-- Removed lines that count: the first ten of a file and the first hundred of a delivery in full, the rest a little.

with deaths as (
    select * from {{ ref('int_points__deaths') }}
    where may_be_eligible
),

renames as (
    select distinct
        delivery_sha,
        repository_id,
        path,
        previous_path
    from {{ ref('int_points__delivered_lines') }}
    where previous_path is not null
),

-- Not filtered by eligible lines, which would then be counted twice.
located as (
    select
        deaths.repository_id,
        deaths.delivery_sha,
        deaths.remover_sha as commit_sha,
        coalesce(renames.path, deaths.path) as path,
        max(case when deaths.eligible_lines > 0 then deaths.language end) as language,
        max(case when deaths.eligible_lines > 0 then deaths.role end) as role,
        cast(sum(deaths.eligible_lines) as bigint) as lines
    from deaths
    left join renames
        on
            deaths.repository_id = renames.repository_id
            and deaths.delivery_sha = renames.delivery_sha
            and deaths.path = renames.previous_path
    group by
        deaths.repository_id, deaths.delivery_sha, deaths.remover_sha, coalesce(renames.path, deaths.path)
    having sum(deaths.eligible_lines) > 0
),

files as (
    select
        repository_id,
        delivery_sha,
        path,
        count(*) as commits,
        least(cast(sum(lines) as bigint), {{ var('removal_full_lines_per_file') }}) as full_lines
    from located
    group by repository_id, delivery_sha, path
),

limited as (
    select
        repository_id,
        delivery_sha,
        path,
        commits,
        greatest(0, least(
            full_lines,
            {{ var('removal_full_lines_per_delivery') }} - coalesce(sum(full_lines) over (
                partition by repository_id, delivery_sha
                order by path
                rows between unbounded preceding and 1 preceding
            ), 0)
        )) as full_lines
    from files
),

bounded as (
    select
        located.*,
        limited.commits,
        limited.full_lines as full_lines_of_file
    from located
    inner join limited
        on
            located.repository_id = limited.repository_id
            and located.delivery_sha = limited.delivery_sha
            and located.path = limited.path
),

shared as (
    select
        commit_sha,
        path,
        language,
        role,
        lines,
        least(lines, full_lines_of_file) as full_lines
    from bounded
    where commits = 1
    union all
    select
        commit_sha,
        path,
        language,
        role,
        lines,
        greatest(0, least(
            lines,
            full_lines_of_file - coalesce(sum(lines) over (
                partition by repository_id, delivery_sha, path
                order by commit_sha
                rows between unbounded preceding and 1 preceding
            ), 0)
        )) as full_lines
    from bounded
    where commits > 1
)

select
    commit_sha,
    path,
    language,
    role,
    cast(full_lines as bigint) as full_lines,
    cast(lines - full_lines as bigint) as rest_lines,
    cast(
        full_lines * {{ var('removal_weight_micro') }}
        + (lines - full_lines) * {{ var('removal_rest_weight_micro') }} as bigint
    ) as points_micro
from shared
