-- Issues of a pull request: its own, and those that its delivered commits name.

with own as (
    select * from {{ ref('int_pull_requests__issues') }}
),

commits as (
    select * from {{ ref('int_pull_requests__commits') }}
),

links as (
    select * from {{ ref('int_alignment__links') }}
    where found_in <> 'pull_request'
),

items as (
    select * from {{ ref('int_alignment__items') }}
),

every as (
    select
        pull_request_id,
        item_id,
        case found_in when 'linked' then 1 when 'title' then 2 else 3 end as way
    from own
    union all
    select
        commits.pull_request_id,
        links.item_id,
        4 as way
    from commits
    inner join links on commits.commit_sha = links.commit_sha
),

firsts as (
    select
        pull_request_id,
        item_id,
        min(way) as way
    from every
    group by pull_request_id, item_id
)

select
    firsts.pull_request_id,
    firsts.item_id,
    case firsts.way when 1 then 'linked' when 2 then 'title' when 3 then 'branch' else 'commit' end as found_in,
    items.team_id as item_team_id,
    items.level,
    items.sub_objective_id,
    items.objective_id
from firsts
inner join items on firsts.item_id = items.item_id
