-- Commits of which the vendor of a tool tells that the tool wrote lines. A commit that was squashed stands for its squash.

with reported as (
    select
        *,
        cast({{ local_time("'UTC'", 'committed_at') }} as date) as committed_on
    from {{ ref('stg_ai_tools__commits') }}
    where coalesce(ai_lines_added, 0) + coalesce(ai_lines_removed, 0) > 0
),

commits as (
    select
        commit_id,
        commit_sha
    from {{ ref('int_commits') }}
),

sources as (
    select distinct
        source_sha,
        commit_sha
    from {{ ref('int_commit_source_people') }}
    where place = 0
),

people as (
    select * from {{ ref('int_ai_usage__people') }}
),

delivered as (
    select
        reported.*,
        coalesce(sources.commit_sha, reported.commit_sha) as delivered_sha
    from reported
    left join sources on reported.commit_sha = sources.source_sha
),

named as (
    select
        delivered.*,
        case
            when assigned.words is not null then assigned.developer_id
            else coalesce(addresses.developer_id, logins.developer_id)
        end as developer_id
    from delivered
    left join people as assigned
        on
            assigned.naming = 'decision'
            and lower(coalesce(delivered.actor_email, delivered.actor_login, delivered.actor_id)) = assigned.words
    left join people as addresses on addresses.naming = 'address' and delivered.actor_email = addresses.words
    left join people as logins on logins.naming = 'login' and delivered.actor_login = logins.words
)

select
    commits.commit_id,
    commits.commit_sha,
    named.tool,
    named.developer_id,
    named.committed_on,
    {{ capped_sum('named.lines_added') }} as lines_added,
    {{ capped_sum('named.ai_lines_added') }} as ai_lines_added
from named
inner join commits on named.delivered_sha = commits.commit_sha
group by commits.commit_id, commits.commit_sha, named.tool, named.developer_id, named.committed_on
