-- Without any item of a tracker there are no rows.

with commits as (
    select * from {{ ref('int_commits') }}
),

items as (
    select key from {{ ref('stg_trackers__items') }}
),

references_found as (
    select * from {{ ref('int_alignment__references') }}
),

links as (
    select
        commit_sha,
        count(*) as issue_count,
        count(objective_id) as roadmap_issue_count
    from {{ ref('int_alignment__links') }}
    group by commit_sha
),

prefixes as (
    select distinct upper({{ first_match('key', pattern_text('^([A-Za-z][A-Za-z0-9_]*)-[0-9]+$'), 1) }}) as prefix
    from items
    where key is not null
),

-- `UTF-8` has the form of a key. It is a reference only where a tracker has keys that begin so. A trailer's address
-- can be any page.
referring as (
    select distinct
        references_found.repository_id,
        references_found.commit_sha
    from references_found
    left join prefixes
        on {{ first_match('references_found.target', pattern_text('^([A-Z][A-Z0-9_]*)-[0-9]+$'), 1) }} = prefixes.prefix
    where
        (references_found.shape <> 'key' or prefixes.prefix is not null)
        and not (references_found.found_in = 'trailer' and references_found.shape = 'url')
)

select
    commits.commit_sha,
    cast(coalesce(links.issue_count, 0) as integer) as issue_count,
    cast(coalesce(links.roadmap_issue_count, 0) as integer) as roadmap_issue_count,
    case
        when links.commit_sha is not null then null
        when referring.commit_sha is not null then 'UNKNOWN_ISSUE'
        else 'NO_REFERENCE'
    end as alignment_reason
from commits
left join links on commits.commit_sha = links.commit_sha
left join referring
    on commits.commit_sha = referring.commit_sha and commits.repository_id = referring.repository_id
where exists (select 1 from items)
