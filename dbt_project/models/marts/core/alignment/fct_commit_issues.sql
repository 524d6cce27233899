with links as (
    select * from {{ ref('int_alignment__links') }}
),

commits as (
    select * from {{ ref('fct_commits') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

authors as (
    select * from {{ ref('int_teams__authors') }}
),

costs as (
    select * from {{ ref('fct_ai_commit_costs') }}
)

select
    commits.commit_id,
    links.commit_sha,
    commits.repository_id,
    commits.developer_id,
    authors.team_id,
    commits.delivered_at,
    commits.delivered_on,
    commits.is_bot,
    repositories.is_sandbox,
    commits.is_counted,
    links.item_id,
    links.level,
    links.found_in,
    links.place,
    links.issue_count,
    links.sub_objective_id,
    links.objective_id,
    cast({{ issue_units('commits.etv_micro', 'links.issue_count', 'links.place') }} as bigint) as etv_micro,
    case
        -- Corrections of vendors are negative.
        when costs.cost_nano < 0
            then cast(-({{ issue_units('(-costs.cost_nano)', 'links.issue_count', 'links.place') }}) as bigint)
        else cast({{ issue_units('costs.cost_nano', 'links.issue_count', 'links.place') }} as bigint)
    end as ai_cost_nano,
    costs.confidence_micro as ai_cost_confidence_micro
from links
inner join commits on links.commit_sha = commits.commit_sha
inner join repositories on commits.repository_id = repositories.repository_id
left join costs on commits.commit_id = costs.commit_id
left join authors on commits.commit_sha = authors.commit_sha and commits.developer_id = authors.developer_id
