-- The people behind each source commit of a squash: of its pull request, else of the branch that was merged later. They
-- share by the lines of the squash where the clone has the commits, else by changed lines.

with squashes as (
    select * from {{ ref('int_pull_requests__commits') }}
    where how = 'squash'
),

people as (
    select * from {{ ref('int_pull_requests__people') }}
),

-- Pull requests that ended with one squash may list the same commit.
requested as (
    select
        squashes.commit_sha,
        squashes.repository_id,
        people.source_sha,
        people.place,
        min(people.source_number) as source_number,
        max(people.name) as name,
        max(people.address) as address,
        max(people.weight) as weight,
        bool_and(people.is_complete) as is_complete
    from squashes
    inner join people on squashes.pull_request_id = people.pull_request_id
    group by squashes.commit_sha, squashes.repository_id, people.source_sha, people.place
),

branch_sources as (
    select * from {{ ref('int_commit_squash_sources') }}
    where is_first
),

coauthors as (
    select * from {{ ref('int_commit_coauthors') }}
),

squash_lines as (
    select * from {{ ref('int_commit_squash_lines') }}
),

known as (
    select distinct
        commit_sha,
        repository_id
    from requested
),

later as (
    select branch_sources.*
    from branch_sources
    left join known
        on branch_sources.squash_sha = known.commit_sha and branch_sources.repository_id = known.repository_id
    where known.commit_sha is null
),

everybody as (
    select
        commit_sha,
        repository_id,
        source_sha,
        source_number,
        place,
        name,
        address,
        weight,
        is_complete
    from requested
    union all
    select
        squash_sha as commit_sha,
        repository_id,
        source_sha,
        source_number,
        0 as place,
        author_name as name,
        author_address as address,
        weight,
        true as is_complete
    from later
    union all
    select
        later.squash_sha as commit_sha,
        later.repository_id,
        later.source_sha,
        later.source_number,
        coauthors.trailer_number as place,
        coauthors.name,
        coauthors.address,
        later.weight,
        true as is_complete
    from later
    inner join coauthors on later.source_sha = coauthors.commit_sha and later.repository_id = coauthors.repository_id
),

sources as (
    select distinct
        commit_sha,
        repository_id,
        source_sha
    from everybody
),

told as (
    select
        sources.commit_sha,
        sources.repository_id
    from sources
    inner join squash_lines
        on
            sources.commit_sha = squash_lines.squash_sha
            and sources.repository_id = squash_lines.repository_id
            and sources.source_sha = squash_lines.source_sha
    group by sources.commit_sha, sources.repository_id
    having sum(squash_lines.weight) > 0
)

select
    everybody.commit_sha,
    everybody.repository_id,
    everybody.source_sha,
    everybody.source_number,
    everybody.place,
    everybody.name,
    everybody.address,
    case when told.commit_sha is null then everybody.weight else squash_lines.weight end as weight,
    told.commit_sha is not null as is_by_points,
    everybody.is_complete
from everybody
left join told on everybody.commit_sha = told.commit_sha and everybody.repository_id = told.repository_id
left join squash_lines
    on
        everybody.commit_sha = squash_lines.squash_sha
        and everybody.repository_id = squash_lines.repository_id
        and everybody.source_sha = squash_lines.source_sha
-- Who only formats has no lines in the squash, and no share where others have some.
where told.commit_sha is null or squash_lines.weight > 0
