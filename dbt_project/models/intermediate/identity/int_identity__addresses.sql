with commits as (
    select * from {{ ref('int_commits') }}
),

coauthors as (
    select * from {{ ref('int_commit_coauthors') }}
),

uses as (
    select
        author_name as name,
        author_address as address,
        count(*) as authored,
        min(committed_at) as first_used_at
    from commits
    group by author_name, author_address
    union all
    select
        coauthors.name,
        coauthors.address,
        0 as authored,
        min(commits.committed_at) as first_used_at
    from coauthors
    inner join commits
        on coauthors.commit_sha = commits.commit_sha and coauthors.repository_id = commits.repository_id
    group by coauthors.name, coauthors.address
),

addresses as (
    select
        name,
        address,
        cast(sum(authored) as bigint) as authored_commits,
        min(first_used_at) as first_used_at
    from uses
    group by name, address
),

digests as (
    select
        *,
        {{ compared_name('name') }} as compared_name,
        {{ uuid5_digest("'" ~ var('organization_id') ~ "'", "concat('mailbox:', address)") }} as mailbox_digest,
        {{ uuid5_digest(
            "'" ~ var('organization_id') ~ "'", "concat('address:', address, ' ', " ~ compared_name('name') ~ ")"
        ) }} as address_digest
    from addresses
)

select
    row_number() over (order by first_used_at, address, name) as address_number,
    {{ uuid5_of_digest('address_digest') }} as address_id,
    {{ uuid5_of_digest('mailbox_digest') }} as mailbox_id,
    name,
    address,
    compared_name,
    {{ first_match('address', pattern_text('^[^@]*')) }} as local_part,
    {{ first_match('address', pattern_text('@(.*)$'), 1) }} as domain,
    authored_commits,
    first_used_at
from digests
