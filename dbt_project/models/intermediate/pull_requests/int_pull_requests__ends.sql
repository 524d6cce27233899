-- With which delivered commit a pull request ended: the one that its host names, else the one whose message names it. A
-- closed pull request ended with a commit if it landed.

with pull_requests as (
    select * from {{ ref('stg_hosts__pull_requests') }}
    where state <> 'open'
),

merged as (
    select * from pull_requests
    where state = 'merged'
),

commits as (
    select * from {{ ref('stg_git__commits') }}
),

listed as (
    select * from {{ ref('stg_hosts__pull_request_commits') }}
),

events as (
    select * from {{ ref('stg_hosts__pull_request_events') }}
),

{{ delivered_facts() }},

sources as (
    select
        {{ source_columns() }}
    from listed
    left join commits on listed.repository_id = commits.repository_id and listed.source_sha = commits.commit_sha
),

named as (
    select
        pull_request_id,
        repository_id,
        merge_sha as sha,
        1 as preference
    from merged
    union all
    select
        pull_request_id,
        repository_id,
        squash_sha as sha,
        2 as preference
    from merged
    union all
    select
        pull_request_id,
        repository_id,
        head_sha as sha,
        3 as preference
    from merged
),

found_by_sha as (
    select
        named.pull_request_id,
        named.preference,
        0 as distance,
        facts.commit_sha,
        facts.position
    from named
    inner join facts on named.repository_id = facts.repository_id and named.sha = facts.commit_sha
),

-- The repository has the commit that the host names, perhaps on another branch than the default one.
known as (
    select distinct named.pull_request_id
    from named
    inner join commits on named.repository_id = commits.repository_id and named.sha = commits.commit_sha
    where named.preference < 3
),

-- The number in a message may belong to another host, from which the history came, or to another repository. So the time
-- and the branch have to fit as well.
found_by_message as (
    select
        merged.pull_request_id,
        4 as preference,
        abs({{ epoch_micros('facts.delivered_at') }} - {{ epoch_micros('merged.merged_at') }}) as distance,
        facts.commit_sha,
        facts.position
    from merged
    inner join facts
        on
            merged.repository_id = facts.repository_id
            and cast(merged.number as {{ dbt.type_string() }}) = facts.pull_request
            and facts.commit_sha = facts.delivery_sha
    left join known on merged.pull_request_id = known.pull_request_id
    where
        known.pull_request_id is null
        and abs({{ epoch_micros('facts.delivered_at') }} - {{ epoch_micros('merged.merged_at') }})
        <= {{ var('pull_request_message_hours') }} * 3600000000
        and (
            {{ size_of('facts.branch_names') }} = 0
            or merged.source_branch = ''
            or coalesce({{ position_in('facts.branch_names', 'merged.source_branch') }}, 0) > 0
        )
),

{{ landed_pull_requests() }},

candidates as (
    select * from found_by_sha
    union all
    select * from found_by_message
    union all
    select * from landed
),

chosen as (
    select
        pull_request_id,
        commit_sha,
        row_number() over (
            partition by pull_request_id order by preference, distance, position, commit_sha
        ) as choice
    from candidates
)

select
    pull_requests.pull_request_id,
    pull_requests.repository_id,
    chosen.commit_sha as end_sha,
    pull_requests.squash_sha,
    pull_requests.commit_count
from chosen
inner join pull_requests on chosen.pull_request_id = pull_requests.pull_request_id
where chosen.choice = 1
