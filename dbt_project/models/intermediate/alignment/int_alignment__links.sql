-- A reference counts only if it names an item that exists. The pull request's linked issues count where nothing in the
-- commit itself resolves, the names of branches where nothing else does.

with items as (
    select
        item_id,
        connection_id,
        key,
        previous_keys,
        repository_id,
        number,
        branch_name,
        url
    from {{ ref('stg_trackers__items') }}
),

places as (
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

pull_request_links as (
    select * from {{ ref('int_pull_requests__issue_links') }}
),

-- All names of an item, in one spelling. A key that an item gave up counts where no item has it now.
names as (
    select
        item_id,
        connection_id,
        lower(key) as name,
        0 as age
    from items
    where key is not null
    union all
    select
        item_id,
        connection_id,
        lower(previous_key) as name,
        1 as age
    from (select item_id, connection_id, {{ each('previous_keys') }} as previous_key from items) as moved
    union all
    select
        item_id,
        connection_id,
        {{ numbered_name('repository_id', 'number') }} as name,
        0 as age
    from items
    where repository_id is not null and number is not null
    union all
    select
        item_id,
        connection_id,
        {{ address_name('url') }} as name,
        0 as age
    from items
    where url is not null
    union all
    select
        item_id,
        connection_id,
        {{ branch_name('branch_name') }} as name,
        0 as age
    from items
    where branch_name is not null
),

-- Two trackers may have an item of the same name. The older connection's item counts.
chosen as (
    select
        name,
        item_id,
        row_number() over (partition by name order by age, connection_id, item_id) as place
    from names
),

known as (
    select
        chosen.name,
        places.counted_item_id as item_id
    from chosen
    inner join places on chosen.item_id = places.item_id
    where chosen.place = 1 and places.counted_item_id is not null
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
        places.counted_item_id as item_id,
        4 as way
    from pull_request_links
    inner join commits
        on
            pull_request_links.commit_sha = commits.commit_sha
            and pull_request_links.repository_id = commits.repository_id
    inner join places on pull_request_links.item_id = places.item_id
    where
        places.counted_item_id is not null
        and commits.commit_sha not in (select own.commit_sha from own)
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
