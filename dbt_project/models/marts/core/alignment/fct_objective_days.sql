-- An objective has the work of everything below it. Rows of objectives therefore do not add up: a sub-objective's work
-- is also its objective's.

with links as (
    select * from {{ ref('int_alignment__links') }}
),

goals as (
    select
        item_id,
        ancestor_id as objective_id
    from {{ ref('int_alignment__ancestors') }}
    where ancestor_level in ('objective', 'sub_objective')
),

credits as (
    select * from {{ ref('fct_commit_credits') }}
    where commit_sha in (select links.commit_sha from links)
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

authors as (
    select * from {{ ref('int_teams__authors') }}
),

-- Every credit has a range of the commit's millionths, so that shares add up over credits and over issues.
ranged as (
    select
        *,
        {{ etv_until() }} as etv_until_micro
    from credits
),

shares as (
    select
        ranged.commit_sha,
        ranged.category,
        ranged.developer_id,
        ranged.delivered_on,
        ranged.repository_id,
        ranged.is_bot,
        ranged.commits,
        links.item_id,
        {{ issue_units('ranged.etv_until_micro', 'links.issue_count', 'links.place') }}
        - {{ issue_units('(ranged.etv_until_micro - ranged.etv_micro)', 'links.issue_count', 'links.place') }}
            as etv_micro
    from ranged
    inner join links on ranged.commit_sha = links.commit_sha
    where ranged.is_counted or (ranged.zero_reason = 'BOT' and ranged.role = 'author')
),

-- Several issues of a commit may reach the same objective.
by_credit as (
    select
        goals.objective_id,
        shares.commit_sha,
        shares.category,
        shares.developer_id,
        shares.delivered_on,
        shares.repository_id,
        shares.is_bot,
        max(shares.commits) as commits,
        sum(shares.etv_micro) as etv_micro
    from shares
    inner join goals on shares.item_id = goals.item_id
    group by
        goals.objective_id, shares.commit_sha, shares.category, shares.developer_id, shares.delivered_on,
        shares.repository_id, shares.is_bot
)

select
    by_credit.objective_id,
    by_credit.delivered_on,
    by_credit.repository_id,
    by_credit.developer_id,
    authors.team_id,
    by_credit.category,
    by_credit.is_bot,
    repositories.is_sandbox,
    cast(sum(by_credit.etv_micro) as bigint) as etv_micro,
    cast(sum(by_credit.commits) as bigint) as commits
from by_credit
inner join repositories on by_credit.repository_id = repositories.repository_id
left join authors
    on by_credit.commit_sha = authors.commit_sha and by_credit.developer_id = authors.developer_id
group by
    by_credit.objective_id, by_credit.delivered_on, by_credit.repository_id, by_credit.developer_id, authors.team_id,
    by_credit.category, by_credit.is_bot, repositories.is_sandbox
