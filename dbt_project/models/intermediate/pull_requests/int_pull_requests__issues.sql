-- Issues of a pull request: those that the provider links and those that its title names, else those of its branch. A
-- description mentions other issues as well, so that it links none.

with keys as (
    select * from {{ ref('int_pull_requests__issue_keys') }}
    where found_in <> 'description'
),

branches as (
    select
        pull_request_id,
        source_branch
    from {{ ref('stg_hosts__pull_requests') }}
    where source_branch <> ''
),

names as (
    select * from {{ ref('int_alignment__names') }}
),

wanted as (
    select
        pull_request_id,
        found_in,
        case
            when key like 'http%:/%' then {{ address_name('key') }}
            when key like '#%' then {{ numbered_name('repository_id', 'substr(key, 2)') }}
            else lower(key)
        end as name
    from keys
    union all
    select
        pull_request_id,
        'branch' as found_in,
        {{ branch_name('source_branch') }} as name
    from branches
),

found as (
    select
        wanted.pull_request_id,
        names.item_id,
        min(case wanted.found_in when 'linked' then 1 when 'title' then 2 else 3 end) as way
    from wanted
    inner join names on wanted.name = names.name
    group by wanted.pull_request_id, names.item_id
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
