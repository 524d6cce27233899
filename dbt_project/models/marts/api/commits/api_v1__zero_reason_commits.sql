-- Five of each day are enough for the largest five of any range of days, and few enough to keep for all time.

with parts as (
    select * from {{ ref('fct_zero_reason_commits') }}
    where zero_reason is not null and lines_added > 0
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

commits as (
    select * from {{ ref('int_commits') }}
),

pages as (
    {{ commit_pages() }}
),

ranked as (
    select
        *,
        row_number() over (
            partition by delivered_on, repository_id, team_id, zero_reason
            order by lines_added desc, commit_sha
        ) as place
    from parts
)

select
    ranked.commit_id,
    ranked.commit_sha,
    ranked.zero_reason,
    ranked.repository_id,
    repositories.name as repository_name,
    ranked.team_id,
    ranked.developer_id,
    ranked.is_sandbox,
    ranked.delivered_on,
    commits.written_author_name as author_name,
    commits.subject,
    ranked.files,
    ranked.lines_added,
    case when pages.commit_page is not null then concat(pages.commit_page, ranked.commit_sha) end as commit_url
from ranked
inner join repositories on ranked.repository_id = repositories.repository_id
inner join commits on ranked.commit_sha = commits.commit_sha
left join pages on ranked.repository_id = pages.repository_id
where ranked.place <= {{ var('zero_reason_largest') }}
