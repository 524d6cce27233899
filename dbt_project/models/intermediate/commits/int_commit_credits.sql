-- Shares of the people behind a commit, in millionths that add up to one. A squash is credited by the source commits of its
-- pull request where they are known: each counts as a commit of its own, by its weight.

with commits as (
    select * from {{ ref('int_commits') }}
),

coauthors as (
    select * from {{ ref('int_commit_coauthors') }}
),

source_people as (
    select * from {{ ref('int_commit_source_people') }}
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

squashes as (
    select distinct
        commit_sha,
        repository_id
    from source_people
),

-- A unit is a commit, or a source commit of a squash.
people as (
    select
        commits.commit_sha,
        commits.commit_sha as unit,
        0 as place,
        developers.developer_id
    from commits
    inner join developers on commits.author_name = developers.name and commits.author_address = developers.address
    left join squashes on commits.commit_sha = squashes.commit_sha and commits.repository_id = squashes.repository_id
    where squashes.commit_sha is null
    union all
    select
        coauthors.commit_sha,
        coauthors.commit_sha as unit,
        coauthors.trailer_number as place,
        developers.developer_id
    from coauthors
    inner join commits
        on coauthors.commit_sha = commits.commit_sha and coauthors.repository_id = commits.repository_id
    inner join developers on coauthors.name = developers.name and coauthors.address = developers.address
    left join squashes on commits.commit_sha = squashes.commit_sha and commits.repository_id = squashes.repository_id
    where squashes.commit_sha is null
    union all
    select
        source_people.commit_sha,
        concat(source_people.commit_sha, ' ', source_people.source_sha) as unit,
        source_people.place,
        developers.developer_id
    from source_people
    inner join commits
        on source_people.commit_sha = commits.commit_sha and source_people.repository_id = commits.repository_id
    inner join developers on source_people.name = developers.name and source_people.address = developers.address
),

named as (
    select
        people.commit_sha,
        people.unit,
        people.developer_id,
        min(people.place) as place
    from people
    group by people.commit_sha, people.unit, people.developer_id
),

-- A bot in a trailer gets no share. An AI agent as author leaves its share to the people in the trailers.
judged as (
    select
        named.commit_sha,
        named.unit,
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
        count(*) over (partition by unit) as people
    from judged
),

ordered as (
    select
        commit_sha,
        unit,
        developer_id,
        is_robot,
        people > 1 as is_estimated,
        row_number() over (partition by unit order by place) as place,
        count(*) over (partition by unit) as sharers
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
        max(author_share) over (partition by unit) as taken
    from shares
),

credited as (
    select
        commit_sha,
        unit,
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
),

source_units as (
    select
        commit_sha,
        concat(commit_sha, ' ', source_sha) as unit,
        min(source_number) as source_number,
        max(weight) as weight,
        bool_and(is_complete) as is_complete
    from source_people
    group by commit_sha, source_sha
),

weighed as (
    select
        credited.commit_sha,
        credited.developer_id,
        bool_or(credited.is_bot) as is_bot,
        -- A list that the provider cut leaves out authors.
        bool_or(credited.is_estimated or not source_units.is_complete) as is_estimated,
        min(credited.role) as role,
        min(source_units.source_number * 1000 + credited.place) as first_place,
        sum({{ wide('credited.share_micro') }} * source_units.weight) as amount
    from credited
    inner join source_units on credited.unit = source_units.unit
    group by credited.commit_sha, credited.developer_id
),

totalled as (
    select
        *,
        sum(amount) over (partition by commit_sha) as total
    from weighed
),

floored as (
    select
        *,
        {{ wide_ratio('amount * 1000000', 'total') }} as share_floor,
        amount * 1000000 % total as remainder
    from totalled
),

ranked as (
    select
        *,
        1000000 - sum(share_floor) over (partition by commit_sha) as share_left,
        row_number() over (partition by commit_sha order by remainder desc, first_place, developer_id) as remainder_place
    from floored
),

source_credits as (
    select
        commit_sha,
        developer_id,
        is_bot,
        bool_or(is_estimated) over (partition by commit_sha) as is_estimated,
        role,
        cast(
            share_floor + case when remainder_place <= share_left then 1 else 0 end as bigint
        ) as share_micro,
        first_place
    from ranked
)

select
    credited.commit_sha,
    credited.developer_id,
    credited.is_bot,
    credited.is_estimated,
    credited.role,
    credited.place,
    credited.share_micro
from credited
where credited.unit = credited.commit_sha
union all
-- The one with the largest share has the main credit.
select
    commit_sha,
    developer_id,
    is_bot,
    is_estimated,
    role,
    row_number() over (partition by commit_sha order by share_micro desc, first_place, developer_id) as place,
    share_micro
from source_credits
