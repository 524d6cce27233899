-- A reference counts only if it names an item that exists. The pull request's linked issues count where nothing in the
-- commit itself resolves, the names of branches where nothing else does.

with places as (
    select * from {{ ref('int_alignment__items') }}
),

commits as (
    select
        commit_sha,
        repository_id,
        delivery_sha
    from {{ ref('int_commits') }}
),

references_found as (
    select * from {{ ref('int_alignment__references') }}
),

deliveries as (
    select * from {{ ref('stg_git__deliveries') }}
),

-- A release merges many pull requests: its commits have the issues of their own ones.
pull_request_links as (
    select
        innermost.commit_sha,
        innermost.repository_id,
        issues.item_id
    from {{ ref('int_pull_requests__innermost') }} as innermost
    inner join {{ ref('int_pull_requests__issues') }} as issues on innermost.pull_request_id = issues.pull_request_id
),

known as (
    select * from {{ ref('int_alignment__names') }}
),

written as (
    select
        commits.commit_sha,
        commits.repository_id,
        commits.delivery_sha,
        references_found.found_in,
        {{ reference_name('references_found.shape', 'references_found.target', 'commits.repository_id') }} as name
    from references_found
    inner join commits
        on
            references_found.commit_sha = commits.commit_sha
            and references_found.repository_id = commits.repository_id
),

own as (
    select
        written.commit_sha,
        known.item_id,
        min(case written.found_in when 'trailer' then 2 when 'code' then 3 else 1 end) as way
    from written
    inner join known on written.name = known.name
    where written.found_in <> 'branch'
    group by written.commit_sha, known.item_id
),

of_pull_requests as (
    select
        commits.commit_sha,
        pull_request_links.item_id,
        4 as way
    from pull_request_links
    inner join commits
        on
            pull_request_links.commit_sha = commits.commit_sha
            and pull_request_links.repository_id = commits.repository_id
    where
        commits.commit_sha not in (select own.commit_sha from own)
),

branches as (
    select
        repository_id,
        commit_sha as delivery_sha,
        name
    from written
    where found_in = 'branch'
    union all
    select
        repository_id,
        delivery_sha,
        {{ branch_name('carried') }} as name
    from (
        select repository_id, delivery_sha, {{ each('branch_names') }} as carried from deliveries
    ) as carried_branches
),

of_branches as (
    select
        commits.commit_sha,
        known.item_id,
        5 as way
    from branches
    inner join known on branches.name = known.name
    inner join commits
        on branches.repository_id = commits.repository_id and branches.delivery_sha = commits.delivery_sha
    where
        commits.commit_sha not in (select own.commit_sha from own)
        and commits.commit_sha not in (select of_pull_requests.commit_sha from of_pull_requests)
),

found as (
    select * from own
    union all
    select distinct * from of_pull_requests
    union all
    select distinct * from of_branches
)

-- Issues that reach an objective have the first places, so that a number tells which places reach one.
select
    found.commit_sha,
    found.item_id,
    case found.way
        when 1 then 'message' when 2 then 'trailer' when 3 then 'code' when 4 then 'pull_request' else 'branch'
    end as found_in,
    places.level,
    places.sub_objective_id,
    places.objective_id,
    cast(row_number() over (
        partition by found.commit_sha
        order by case when places.objective_id is null then 1 else 0 end, found.item_id
    ) as integer) as place,
    cast(count(*) over (partition by found.commit_sha) as integer) as issue_count
from found
inner join places on found.item_id = places.item_id
