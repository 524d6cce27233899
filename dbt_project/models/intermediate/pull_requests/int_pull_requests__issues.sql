-- Issues of a pull request: those that the host or the tracker links and those that its title names, else those of its
-- branch. A description mentions other issues as well, so that it links none.

with keys as (
    select * from {{ ref('int_pull_requests__issue_keys') }}
    where found_in <> 'description'
),

pull_requests as (
    select
        pull_request_id,
        source_branch,
        url
    from {{ ref('stg_hosts__pull_requests') }}
),

places as (
    select * from {{ ref('int_alignment__items') }}
    where counted_item_id is not null
),

attached as (
    select
        item_id,
        {{ each('pull_requests') }} as url
    from {{ ref('stg_trackers__items') }}
),

-- Trackers know the addresses of pull requests.
named_by_trackers as (
    select
        pull_requests.pull_request_id,
        places.counted_item_id as item_id
    from attached
    inner join pull_requests on {{ address_name('attached.url') }} = {{ address_name('pull_requests.url') }}
    inner join places on attached.item_id = places.item_id
),

names as (
    select * from {{ ref('int_alignment__names') }}
),

wanted as (
    select
        pull_request_id,
        found_in,
        name
    from keys
    union all
    select
        pull_request_id,
        'branch' as found_in,
        {{ branch_name('source_branch') }} as name
    from pull_requests
    where source_branch <> ''
),

every as (
    select
        wanted.pull_request_id,
        names.item_id,
        case wanted.found_in when 'linked' then 1 when 'title' then 2 else 3 end as way
    from wanted
    inner join names on wanted.name = names.name
    union all
    select
        pull_request_id,
        item_id,
        1 as way
    from named_by_trackers
),

found as (
    select
        pull_request_id,
        item_id,
        min(way) as way
    from every
    group by pull_request_id, item_id
),

ranked as (
    select
        *,
        min(way) over (partition by pull_request_id) as best_way
    from found
)

select
    pull_request_id,
    item_id,
    case way when 1 then 'linked' when 2 then 'title' else 'branch' end as found_in
from ranked
where way < 3 or best_way = 3
