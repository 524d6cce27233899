-- A commit that several repositories have counts once. Commits beyond the granted numbers wait. A line is an ETV of one.
with delivered as (
    select
        repository_id,
        unnest(commit_shas) as commit_sha,
        unnest(range(len(commit_shas))) as commit_number,
        delivery_sha,
        delivered_at,
        position
    from {{ source('git', 'deliveries') }}
),

numbered as (
    select
        *,
        row_number() over (partition by repository_id order by position, commit_number) as number
    from delivered
),

organization as (
    select * from {{ source('control', 'organizations') }}
),

repositories as (
    select * from {{ source('control', 'repositories') }}
),

granted as (
    select
        numbered.*,
        organization.is_commit_limited
        and not coalesce(
            bool_or(number between grants.first_number and grants.last_number) over (partition by commit_sha), false
        ) as is_waiting
    from numbered
    cross join organization
    left join {{ source('control', 'commit_grants') }} as grants using (repository_id)
),

commits as (
    select commits.*
    from {{ ref('stg_git__commits') }} as commits
    semi join (select * from {{ ref('stg_git__reachability') }} where is_reachable)
        using (repository_id, commit_sha)
    semi join repositories using (repository_id)
    qualify row_number() over (partition by commit_sha order by repository_id) = 1
)

select
    commits.commit_id,
    commits.commit_sha,
    commits.repository_id,
    repositories.name as repository_name,
    md5(commits.author_email) as developer_id,
    commits.author_name as developer_name,
    false as is_bot,
    commits.author_name,
    commits.author_email,
    commits.authored_at,
    commits.committed_at,
    commits.subject,
    commits.is_merge,
    commits.parent_shas,
    granted.delivery_sha,
    granted.delivered_at,
    granted.delivered_at::date as delivered_on,
    granted.delivery_sha is not null and not granted.is_waiting as is_counted,
    case
        when granted.delivery_sha is null then 'NOT_DELIVERED'
        when granted.is_waiting then 'WAITING'
    end as zero_reason,
    'features' as category,
    'feature' as category_label,
    0 as points_micro,
    case when is_counted then commits.lines_added * 1000000 else 0 end as effort_micro,
    effort_micro as etv_micro,
    commits.files_changed,
    commits.lines_added,
    commits.lines_deleted,
    false as is_ai_assisted,
    false as is_provisional,
    '' as explanation,
    '{{ var("calculation_version") }}' as calculation_version
from commits
inner join repositories using (repository_id)
left join granted using (repository_id, commit_sha)
