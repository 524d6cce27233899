with episodes as (
    select * from {{ ref('fct_check_episodes') }}
),

subjects as (
    select * from {{ ref('fct_check_subjects') }}
),

commits as (
    select * from {{ ref('int_commits') }}
),

repositories as (
    select * from {{ ref('dim_repositories') }}
),

developers as (
    select * from {{ ref('dim_developers') }}
),

teams as (
    select * from {{ ref('dim_teams') }}
),

pages as (
    {{ commit_pages() }}
),

summed as (
    select
        occurrence_id,
        max(number) as number,
        min(opened_at) as first_opened_at
    from episodes
    group by occurrence_id
),

last_episodes as (
    select
        episodes.*,
        summed.first_opened_at
    from episodes
    inner join summed on episodes.occurrence_id = summed.occurrence_id and episodes.number = summed.number
)

select
    last_episodes.occurrence_id,
    last_episodes.kind,
    last_episodes.subject_type,
    last_episodes.subject_id,
    coalesce(
        subjects.title, commits.subject, last_episodes.subject_title,
        case last_episodes.subject_type
            when 'repository' then repositories.name
            when 'developer' then developers.name
            when 'team' then teams.name
        end
    ) as subject_title,
    coalesce(subjects.reference, substr(commits.commit_sha, 1, 12)) as subject_reference,
    coalesce(
        subjects.url,
        case when pages.commit_page is not null then concat(pages.commit_page, commits.commit_sha) end
    ) as url,
    last_episodes.repository_id,
    repositories.name as repository_name,
    last_episodes.developer_id,
    developers.name as developer_name,
    last_episodes.team_id,
    last_episodes.number as episode_count,
    last_episodes.first_opened_at,
    last_episodes.opened_at,
    last_episodes.ended_at,
    last_episodes.ended_by,
    last_episodes.measured_micro,
    last_episodes.threshold_micro,
    last_episodes.is_critical,
    '{{ var("calculation_version") }}' as calculation_version
from last_episodes
left join subjects
    on last_episodes.subject_type = subjects.subject_type and last_episodes.subject_id = subjects.subject_id
left join commits on last_episodes.subject_type = 'commit' and last_episodes.subject_id = commits.commit_id
left join repositories on last_episodes.repository_id = repositories.repository_id
left join pages on commits.repository_id = pages.repository_id
left join developers on last_episodes.developer_id = developers.developer_id
left join teams on last_episodes.subject_type = 'team' and last_episodes.subject_id = teams.team_id
