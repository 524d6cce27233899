-- Shares of the people behind a commit, in millionths that add up to one.

with commits as (
    select * from {{ ref('int_commits') }}
),

coauthors as (
    select * from {{ ref('int_commit_coauthors') }}
),

developers as (
    select * from {{ ref('int_identity__developers') }}
),

robots as (
    select
        developer_id,
        max(case when is_robot then 1 else 0 end) = 1 as is_robot,
        max(case when is_agent then 1 else 0 end) = 1 as is_agent
    from developers
    group by developer_id
),

people as (
    select
        commits.commit_sha,
        0 as place,
        developers.developer_id
    from commits
    inner join developers on commits.author_name = developers.name and commits.author_address = developers.address
    union all
    select
        coauthors.commit_sha,
        coauthors.trailer_number as place,
        developers.developer_id
    from coauthors
    inner join commits
        on coauthors.commit_sha = commits.commit_sha and coauthors.repository_id = commits.repository_id
    inner join developers on coauthors.name = developers.name and coauthors.address = developers.address
),

named as (
    select
        people.commit_sha,
        people.developer_id,
        min(people.place) as place
    from people
    group by people.commit_sha, people.developer_id
),

-- A bot in a trailer gets no share. An AI agent as author leaves its share to the people in the trailers.
judged as (
    select
        named.commit_sha,
        named.developer_id,
        named.place,
        robots.is_robot,
        robots.is_agent
    from named
    inner join robots on named.developer_id = robots.developer_id
    where named.place = 0 or not robots.is_robot
),

counted as (
    select
        *,
        count(*) over (partition by commit_sha) as people
    from judged
),

ordered as (
    select
        commit_sha,
        developer_id,
        is_robot,
        people > 1 as is_estimated,
        row_number() over (partition by commit_sha order by place) as place,
        count(*) over (partition by commit_sha) as sharers
    from counted
    where not (is_agent and place = 0 and people > 1)
),

-- The author keeps at least half. The remainder of an equal division goes to those named first.
shares as (
    select
        *,
        case
            when sharers = 1 then 1000000
            when place = 1 then greatest({{ var('author_share_micro') }}, {{ whole_ratio('1000000', 'sharers') }})
        end as author_share
    from ordered
),

divided as (
    select
        *,
        max(author_share) over (partition by commit_sha) as taken
    from shares
)

select
    commit_sha,
    developer_id,
    is_robot as is_bot,
    is_estimated,
    case when place = 1 then 'author' else 'co_author' end as role,
    place,
    cast(
        case
            when place = 1 then author_share
            else
                {{ whole_ratio('1000000 - taken', 'sharers - 1') }}
                + case when place - 1 <= (1000000 - taken) % (sharers - 1) then 1 else 0 end
        end as bigint
    ) as share_micro
from divided
