-- The largest deliveries: a pull request with the commits that landed by it, else the commit.

with days as (
    {{ days_of_summaries(told=true) }}
),

pull_requests as (
    select * from {{ ref('int_pull_requests__innermost') }}
),

commits as (
    select
        facts.commit_sha,
        facts.commit_id,
        facts.repository_id,
        facts.delivered_on,
        facts.reaches_objective,
        repositories.is_sandbox,
        coalesce(pull_requests.pull_request_id, facts.commit_id) as delivery_id,
        pull_requests.pull_request_id is not null as is_pull_request
    from {{ ref('fct_commits') }} as facts
    inner join {{ ref('int_repositories') }} as repositories on facts.repository_id = repositories.repository_id
    left join pull_requests
        on facts.repository_id = pull_requests.repository_id and facts.commit_sha = pull_requests.commit_sha
    where facts.is_counted and facts.etv_micro > 0 and facts.delivered_on >= (select min(days.day) from days)
),

credits as (
    select
        commit_sha,
        developer_id,
        sum(etv_micro) as etv_micro
    from {{ ref('fct_commit_credits') }}
    where is_counted and not is_bot and etv_micro > 0
    group by commit_sha, developer_id
),

credited as (
    select
        commits.*,
        credits.developer_id,
        credits.etv_micro,
        authors.team_id
    from commits
    inner join credits on commits.commit_sha = credits.commit_sha
    left join {{ ref('int_teams__authors') }} as authors
        on credits.commit_sha = authors.commit_sha and credits.developer_id = authors.developer_id
),

scoped as (
    {{ rows_of_scopes('credited', [
        'delivery_id', 'is_pull_request', 'commit_sha', 'developer_id', 'delivered_on', 'reaches_objective', 'etv_micro'
    ]) }}
),

-- The day of a delivery is that of its last commit.
deliveries as (
    select
        scope_kind,
        scope_id,
        delivery_id,
        is_pull_request,
        max(delivered_on) as delivered_on,
        min(commit_sha) as commit_sha,
        bool_or(reaches_objective) as reaches_objective,
        count(distinct commit_sha) as commits,
        count(distinct developer_id) as people,
        sum(etv_micro) as etv_micro
    from scoped
    group by scope_kind, scope_id, delivery_id, is_pull_request
),

-- A period is made of days, so its largest deliveries are among the largest of its days.
largest as (
    select * from (
        select
            *,
            row_number() over (
                partition by scope_kind, scope_id, delivered_on, reaches_objective order by etv_micro desc, delivery_id
            ) as place
        from deliveries
    ) as placed
    where place <= {{ var('summary_deliveries') }}
),

placed as (
    select
        largest.*,
        days.period,
        days.number,
        row_number() over (
            partition by largest.scope_kind, largest.scope_id, days.period, days.number
            order by largest.etv_micro desc, largest.delivery_id
        ) as rank_of_all,
        row_number() over (
            partition by largest.scope_kind, largest.scope_id, days.period, days.number, largest.reaches_objective
            order by largest.etv_micro desc, largest.delivery_id
        ) as rank_of_kind
    from largest
    inner join days on largest.delivered_on = days.day
),

pages as (
    {{ commit_pages() }}
),

repositories as (
    {{ named_repositories() }}
),

named as (
    select
        placed.*,
        commits.repository_id,
        case when placed.is_pull_request then 'PULL_REQUEST' else 'COMMIT' end as subject_type,
        coalesce(subjects.title, commits.subject) as title,
        {{ reference_in_scope(
            'placed.scope_kind',
            "case when placed.is_pull_request then 'pull_request' else 'commit' end",
            'coalesce(subjects.reference, substr(placed.commit_sha, 1, ' ~ var('summary_sha_digits') ~ '))',
            'repositories'
        ) }} as reference,
        case
            when placed.is_pull_request then subjects.url
            when pages.commit_page is not null then concat(pages.commit_page, placed.commit_sha)
        end as url
    from placed
    inner join {{ ref('int_commits') }} as commits on placed.commit_sha = commits.commit_sha
    left join pages on commits.repository_id = pages.repository_id
    left join repositories on commits.repository_id = repositories.repository_id
    left join {{ ref('fct_check_subjects') }} as subjects
        on
            placed.is_pull_request
            and subjects.subject_type = 'pull_request'
            and placed.delivery_id = subjects.subject_id
    where
        placed.rank_of_all <= {{ var('summary_deliveries') }}
        or (placed.rank_of_kind <= {{ var('summary_unaligned_deliveries') }} and not placed.reaches_objective)
),

objectives as (
    select distinct true as is_tracked
    from {{ ref('fct_check_subjects') }}
    where subject_type = 'objective'
)

{% for kind, rank, condition in [
    ('delivery', 'rank_of_all', 'true'),
    ('unaligned_delivery', 'rank_of_kind', 'not reaches_objective and is_tracked')
] -%}
select
    scope_kind,
    scope_id,
    period,
    number,
    {{ fact(
        kind, rank, position=rank, subject_type='subject_type', subject_id='delivery_id', subject_title='title',
        subject_reference='reference', url='url', unit="'ETV'", value_micro='etv_micro', basis='commits', people='people'
    ) }}
from named
left join objectives on true
where
    {{ condition }}
    and {{ rank }} <= {{ var('summary_deliveries' if kind == 'delivery' else 'summary_unaligned_deliveries') }}
{{ 'union all' if not loop.last }}
{% endfor %}
