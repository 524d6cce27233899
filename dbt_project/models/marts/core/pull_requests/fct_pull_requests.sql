with pull_requests as (
    select * from {{ ref('int_pull_requests') }}
),

times as (
    select * from {{ ref('fct_pull_request_times') }}
),

links as (
    select * from {{ ref('int_pull_requests__commits') }}
),

commits as (
    select * from {{ ref('fct_commits') }}
),

rework as (
    select * from {{ ref('int_pull_requests__rework') }}
),

reviews as (
    select * from {{ ref('fct_reviews') }}
),

evidence as (
    select * from {{ ref('int_ai__evidence') }}
),

signs as (
    select * from {{ ref('int_pull_requests__own_signs') }}
),

keys as (
    select * from {{ ref('int_pull_requests__issue_keys') }}
),

known_keys as (
    select * from {{ ref('int_pull_requests__known_keys') }}
),

members as (
    select * from {{ ref('int_teams__members') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
    where not is_excluded
),

{% set measures = ['cycle', 'open', 'pickup', 'review', 'approval', 'merge'] -%}
durations as (
    select
        pull_request_id,
        {% for measure in measures -%}
        max(case when measure = '{{ measure }}' then hours_micro end) as {{ measure }}_hours_micro,
        max(case when measure = '{{ measure }}' then working_hours_micro end) as {{ measure }}_working_hours_micro
        {{- ',' if not loop.last }}
        {% endfor %}
    from times
    group by pull_request_id
),

delivered as (
    select
        links.pull_request_id,
        -- The squash inside a merge is a squash.
        max(links.how) as merged_by_way,
        count(*) as delivered_commit_count,
        sum(case when commits.is_counted then commits.etv_micro else 0 end) as etv_micro,
        sum(case when commits.is_counted then commits.effort_micro else 0 end) as effort_micro,
        max(case when commits.is_ai_assisted then 1 else 0 end) = 1 as is_ai_assisted
    from links
    inner join commits on links.commit_sha = commits.commit_sha
    group by links.pull_request_id
),

named_tools as (
    select
        links.pull_request_id,
        evidence.tool
    from links
    inner join evidence on links.commit_sha = evidence.commit_sha
    union distinct
    select
        pull_request_id,
        tool
    from signs
),

tools as (
    select
        pull_request_id,
        {{ collected_distinct('tool') }} as ai_tools
    from named_tools
    group by pull_request_id
),

own_signs as (
    select
        pull_request_id,
        bool_or(role in ('authored', 'assisted')) as is_ai_assisted
    from signs
    group by pull_request_id
),

reviewed as (
    select
        pull_request_id,
        count(distinct case when not is_bot then reviewer end) as reviewer_count,
        sum(case when not is_bot then approvals + change_requests + reviews else 0 end) as review_count
    from reviews
    group by pull_request_id
),

awaited as (
    select * from {{ ref('int_pull_requests__awaited') }}
),

waiting as (
    select * from {{ ref('int_pull_requests__waiting') }}
),

referenced as (
    select
        pull_request_id,
        {{ collected_distinct('key') }} as referenced_keys
    from keys
    group by pull_request_id
),

-- A word of the form of a key may name anything, such as UTF-8.
known as (
    select
        pull_request_id,
        {{ collected_distinct('key') }} as issue_keys
    from known_keys
    group by pull_request_id
)

select
    pull_requests.pull_request_id,
    pull_requests.repository_id,
    cast(pull_requests.number as bigint) as number,
    pull_requests.title,
    pull_requests.state,
    pull_requests.is_draft,
    pull_requests.author,
    pull_requests.developer_id,
    members.team_id,
    pull_requests.is_bot,
    repositories.is_sandbox,
    pull_requests.created_at,
    pull_requests.created_on,
    pull_requests.ready_at,
    waiting.waiting_since,
    pull_requests.first_review_at,
    pull_requests.approved_at,
    pull_requests.merged_at,
    pull_requests.merged_on,
    pull_requests.merged_by,
    pull_requests.closed_at,
    pull_requests.source_branch,
    pull_requests.target_branch,
    pull_requests.url,
    pull_requests.labels,
    coalesce(pull_requests.requested_reviewers, {{ array_of([]) }}) as requested_reviewers,
    coalesce(awaited.awaited_reviewers, {{ array_of([]) }}) as awaited_reviewers,
    coalesce(pull_requests.source_shas, {{ array_of([]) }}) as source_shas,
    delivered.merged_by_way,
    cast(pull_requests.commit_count as bigint) as source_commit_count,
    cast(coalesce(delivered.delivered_commit_count, 0) as bigint) as delivered_commit_count,
    cast(pull_requests.lines_added as bigint) as lines_added,
    cast(pull_requests.lines_deleted as bigint) as lines_deleted,
    cast(pull_requests.comment_count as bigint) as comment_count,
    -- Without a delivered commit, for example after a merge into a release branch, there is nothing to measure.
    cast(delivered.etv_micro as bigint) as etv_micro,
    cast(delivered.effort_micro as bigint) as effort_micro,
    cast(coalesce(reviewed.reviewer_count, 0) as bigint) as reviewer_count,
    cast(coalesce(reviewed.review_count, 0) as bigint) as review_count,
    case when pull_requests.first_review_at is not null then cast(coalesce(rework.commits_after_review, 0) as bigint) end
        as commits_after_review,
    case
        when pull_requests.first_review_at is not null and rework.listed_commits > 0
            then {{ whole_ratio('rework.commits_after_review * 1000000', 'rework.listed_commits') }}
    end as rework_share_micro,
    coalesce(delivered.is_ai_assisted, false) or coalesce(own_signs.is_ai_assisted, false) as is_ai_assisted,
    case
        when coalesce(own_signs.is_ai_assisted, false) then 'own_signs'
        when coalesce(delivered.is_ai_assisted, false) then 'commits'
    end as ai_basis,
    coalesce(tools.ai_tools, {{ array_of([]) }}) as ai_tools,
    coalesce(known.issue_keys, {{ array_of([]) }}) as issue_keys,
    coalesce(referenced.referenced_keys, {{ array_of([]) }}) as referenced_keys,
    {% for measure in measures -%}
    durations.{{ measure }}_hours_micro,
    durations.{{ measure }}_working_hours_micro{{ ',' if not loop.last }}
    {% endfor %}
from pull_requests
inner join repositories on pull_requests.repository_id = repositories.repository_id
inner join durations on pull_requests.pull_request_id = durations.pull_request_id
left join delivered on pull_requests.pull_request_id = delivered.pull_request_id
left join tools on pull_requests.pull_request_id = tools.pull_request_id
left join own_signs on pull_requests.pull_request_id = own_signs.pull_request_id
left join rework on pull_requests.pull_request_id = rework.pull_request_id
left join reviewed on pull_requests.pull_request_id = reviewed.pull_request_id
left join awaited on pull_requests.pull_request_id = awaited.pull_request_id
left join waiting on pull_requests.pull_request_id = waiting.pull_request_id
left join known on pull_requests.pull_request_id = known.pull_request_id
left join referenced on pull_requests.pull_request_id = referenced.pull_request_id
left join members
    on
        pull_requests.developer_id = members.developer_id
        and pull_requests.created_on between members.start_on and members.end_on
