-- The factor of a fix: 1, and shares for old code, code that others wrote, and code that changes often. The removed
-- lines are what was wrong; where nothing was removed, the lines around the change stand for them.

with bugs as (
    select * from {{ ref('int_alignment__bugs') }}
    where is_resolved
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

fixes as (
    select commits.*
    from commits
    inner join bugs on commits.commit_sha = bugs.commit_sha
),

deaths as (
    select * from {{ ref('stg_git__line_deaths') }}
),

context as (
    select * from {{ ref('stg_git__fix_context') }}
),

files as (
    select * from {{ ref('int_files') }}
),

leads as (
    select
        fixes.commit_sha,
        deaths.path as earlier_path,
        deaths.birth_sha,
        {{ total_of(mapped(
            'deaths.lines', 'line', "case when line.class = 'layout' then 0 else line.lines end"
        )) }} as removed_lines,
        cast(0 as bigint) as near_weight_micro
    from fixes
    inner join deaths
        on
            fixes.repository_id = deaths.repository_id
            and fixes.delivery_sha = deaths.delivery_sha
            and fixes.commit_sha = deaths.remover_sha
    union all
    select
        fixes.commit_sha,
        context.path as earlier_path,
        context.origin_sha as birth_sha,
        0 as removed_lines,
        context.near_weight_micro
    from fixes
    inner join context
        on
            fixes.repository_id = context.repository_id
            and fixes.delivery_sha = context.delivery_sha
            and fixes.commit_sha = context.commit_sha
),

born as (
    select
        leads.*,
        max(leads.removed_lines) over (partition by leads.commit_sha, leads.earlier_path) > 0 as has_removed_lines,
        case
            when births.delivery_sha = fixes.delivery_sha then 0
            else greatest(0, {{ days_between('cast(births.delivered_at as date)', 'cast(fixes.delivered_at as date)') }})
        end as age_days,
        coalesce(births.developer_id <> fixes.developer_id, false) as is_foreign,
        births.commit_sha is null
        or births.delivery_sha = fixes.delivery_sha
        or (
            births.developer_id = fixes.developer_id
            and fixes.delivered_micros - births.delivered_micros <= {{ window_micros() }}
        ) as is_own_fresh
    from leads
    inner join fixes on leads.commit_sha = fixes.commit_sha
    left join commits as births on leads.birth_sha = births.commit_sha
),

weighed as (
    select
        *,
        case when has_removed_lines then removed_lines * cast(1000000 as bigint) else near_weight_micro end as weight
    from born
),

-- Own fresh lines have a weight and no share.
shares as (
    select
        commit_sha,
        earlier_path,
        sum(weight) as weight,
        sum(case when is_own_fresh then 0 else weight end) as stale_weight,
        sum(case when is_foreign and not is_own_fresh then weight else 0 end) as foreign_weight,
        sum(
            case
                when is_own_fresh then 0
                else weight * least(age_days, {{ var('multiplier_age_days') }})
            end
        ) as aged_weight
    from weighed
    group by commit_sha, earlier_path
    having sum(weight) > 0
),

fixed as (
    select
        files.commit_sha,
        files.path,
        coalesce(files.previous_path, files.path) as earlier_path,
        files.repository_id,
        files.original_path,
        fixes.delivered_micros as until_micros,
        fixes.delivered_micros - {{ var('multiplier_churn_days') * 86400 }} * cast(1000000 as bigint) as from_micros
    from fixes
    inner join files on fixes.commit_sha = files.commit_sha
),

fixed_paths as (
    select distinct
        repository_id,
        original_path
    from fixed
),

deliveries as (
    select distinct
        files.repository_id,
        files.original_path,
        commits.delivery_sha,
        commits.delivered_micros
    from files
    inner join fixed_paths
        on files.repository_id = fixed_paths.repository_id and files.original_path = fixed_paths.original_path
    inner join commits on files.commit_sha = commits.commit_sha
),

-- Deliveries that changed a file are counted at both ends of the days before each of its fixes. Comparing each fix with
-- every change of its files would take minutes in an organization with many of them.
moments as (
    select
        repository_id,
        original_path,
        delivered_micros as at_micros,
        1 as delivered
    from deliveries
    union all
    select
        repository_id,
        original_path,
        until_micros as at_micros,
        0 as delivered
    from fixed
    union all
    select
        repository_id,
        original_path,
        from_micros as at_micros,
        0 as delivered
    from fixed
),

totals as (
    select
        repository_id,
        original_path,
        at_micros,
        sum(delivered) as delivered
    from moments
    group by repository_id, original_path, at_micros
),

counted as (
    select
        repository_id,
        original_path,
        at_micros,
        sum(delivered) over (partition by repository_id, original_path order by at_micros) - delivered as earlier
    from totals
),

changes as (
    select
        fixed.commit_sha,
        fixed.path,
        fixed.earlier_path,
        cast(ends.earlier - begins.earlier as bigint) as deliveries
    from fixed
    inner join counted as ends
        on
            fixed.repository_id = ends.repository_id
            and fixed.original_path = ends.original_path
            and fixed.until_micros = ends.at_micros
    inner join counted as begins
        on
            fixed.repository_id = begins.repository_id
            and fixed.original_path = begins.original_path
            and fixed.from_micros = begins.at_micros
)

select
    changes.commit_sha,
    changes.path,
    1000000
    + {{ rounded_ratio(
        wide('shares.aged_weight') ~ ' * ' ~ var('multiplier_age_micro'),
        wide('shares.weight') ~ ' * ' ~ var('multiplier_age_days')
    ) }}
    + {{ rounded_ratio(wide('shares.foreign_weight') ~ ' * ' ~ var('multiplier_foreign_micro'), 'shares.weight') }}
    + {{ rounded_ratio(
        wide('shares.stale_weight')
        ~ ' * least(changes.deliveries, ' ~ var('multiplier_churn_deliveries') ~ ') * ' ~ var('multiplier_churn_micro'),
        wide('shares.weight') ~ ' * ' ~ var('multiplier_churn_deliveries')
    ) }} as multiplier_micro
from changes
inner join shares on changes.commit_sha = shares.commit_sha and changes.earlier_path = shares.earlier_path
