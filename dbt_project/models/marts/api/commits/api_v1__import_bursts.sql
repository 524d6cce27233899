with bursts as (
    select * from {{ ref('int_exclusions__bursts') }}
),

commits as (
    select * from {{ ref('int_commits') }}
),

developers as (
    select * from {{ ref('dim_developers') }}
)

select
    bursts.burst_id,
    bursts.rule,
    bursts.status,
    bursts.developer_id,
    developers.name as developer_name,
    bursts.repository_ids,
    commits.commit_id as first_commit_id,
    bursts.first_commit_sha,
    commits.subject as first_subject,
    {{ instant_of_micros('bursts.start_micros') }} as started_at,
    {{ instant_of_micros('bursts.end_micros') }} as ended_at,
    {{ instant_of_micros('bursts.evidence_until_micros') }} as evidence_until,
    bursts.commits as commit_count,
    bursts.counted_commits as counted_commit_count,
    bursts.new_files as file_count,
    bursts.novel_lines,
    bursts.arrived_lines,
    bursts.reworked_share_micro,
    bursts.worked_share_micro,
    '{{ var("calculation_version") }}' as calculation_version
from bursts
inner join commits on bursts.first_commit_sha = commits.commit_sha
inner join developers on bursts.developer_id = developers.developer_id
