-- The other identities of an address by the mailmap of a repository in which it wrote. A mailmap elsewhere does not
-- count.

with entries as (
    select * from {{ ref('stg_git__mailmap_entries') }}
),

commits as (
    select * from {{ ref('int_commits') }}
),

addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

writers as (
    select distinct
        commits.repository_id,
        commits.author_address as address
    from commits
    inner join entries on commits.repository_id = entries.repository_id and commits.author_address = entries.commit_address
),

-- An entry for name and address wins over an entry for the address.
said as (
    select
        addresses.address_number,
        addresses.address,
        case
            when count(case when entries.commit_name = addresses.compared_name then 1 end) > 0
                then max(case when entries.commit_name = addresses.compared_name then entries.proper_address end)
            else max(case when entries.commit_name is null then entries.proper_address end)
        end as proper_address,
        count(
            case
                when entries.commit_name = addresses.compared_name and entries.proper_address <> addresses.address then 1
            end
        ) > 0 as is_by_name
    from writers
    inner join entries on writers.repository_id = entries.repository_id and writers.address = entries.commit_address
    inner join addresses on writers.address = addresses.address
    group by writers.repository_id, addresses.address_number, addresses.address
),

moved as (
    select
        address_number,
        proper_address,
        is_by_name
    from said
    where proper_address is not null and proper_address <> address
),

every as (
    select
        address_number,
        proper_address,
        is_by_name
    from moved
    union all
    select
        addresses.address_number,
        moved.proper_address,
        false as is_by_name
    from moved
    inner join addresses on moved.proper_address = addresses.address
)

select
    address_number,
    proper_address,
    bool_or(is_by_name) as is_by_name
from every
group by address_number, proper_address
