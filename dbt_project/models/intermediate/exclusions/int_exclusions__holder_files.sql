-- Whom each new file names, and whether the holder has a part in it: through the repository, the author of the file, or
-- who signs for the commit. A guest has none in what is older.

with named as (
    select * from {{ ref('int_exclusions__holder_names') }}
),

parts as (
    select * from {{ ref('int_exclusions__holder_parts') }}
),

of_author as (
    select * from {{ ref('int_exclusions__holder_people') }}
),

-- Whoever signs for a commit has a part in it.
signed as (
    select
        commit_sha,
        repository_id,
        {{ each('trailers') }} as trailer
    from {{ ref('stg_git__commits') }}
    where {{ size_of('trailers') }} > 0
),

by_trailer as (
    select distinct
        named.commit_sha,
        named.path,
        named.holder
    from named
    inner join signed on named.repository_id = signed.repository_id and named.commit_sha = signed.commit_sha
    where
        named.status = 'A'
        and position(named.holder in lower(signed.trailer.value)) > 0
        -- An address says where the file came from.
        and position('http' in lower(signed.trailer.value)) = 0
),

-- Whoever has few commits, and signs the files of one of them alone, with years that ended before last year, wrote them elsewhere.
guests as (
    select
        named.commit_sha,
        named.path,
        named.holder
    from named
    inner join parts on named.repository_id = parts.repository_id and named.holder = parts.holder
    where
        named.status = 'A'
        and parts.is_of_one_commit
        and parts.people_from_micros is null
        and {{ size_of(words_of('named.holder_name')) }} > 1
        and named.holder_name = {{ compared_name('named.author_name') }}
    group by named.commit_sha, named.path, named.holder
    having count(case when named.last_year < named.authored_year - 1 then 1 end) = count(*)
),

working as (
    select distinct
        repository_id,
        holder
    from of_author
    where is_named
),

-- A product arrives with the names of the people who wrote it, none of whom works on it here.
products as (
    select
        named.commit_sha,
        named.repository_id
    from named
    inner join parts on named.repository_id = parts.repository_id and named.holder = parts.holder
    left join working on named.repository_id = working.repository_id and named.holder = working.holder
    where
        named.status = 'A'
        and named.is_author
        and parts.arrived_together
        and working.holder is null
        and not parts.is_of_project
        and {{ size_of(words_of('named.holder_name')) }} > 1
        -- Where people commit under logins, their names are none of strangers.
        and {{ size_of(words_of(compared_name('named.author_name'))) }} > 1
    group by named.commit_sha, named.repository_id
    having
        count(distinct named.holder_name) >= {{ var('foreign_product_authors') }}
        and count(distinct named.path) >= {{ var('foreign_product_files') }}
),

related as (
    select
        named.*,
        -- A nickname tells too little to say that two people differ.
        {{ size_of(words_of('named.holder_name')) }} > 1
        and {{ size_of(words_of(compared_name('named.author_name'))) }} > 1 as have_full_names,
        parts.files,
        parts.repository_files as all_files,
        parts.is_own_name,
        parts.is_rare
        or (products.commit_sha is not null and named.is_author and parts.arrived_together and not parts.is_of_project) as is_rare,
        coalesce(
            named.authored_micros >= parts.people_from_micros
            -- Somebody who commits here later, and signs with the year of this commit alone, is a colleague already. A library has earlier years.
            or (parts.people_from_micros is not null and named.first_year = named.authored_year and named.last_year = named.authored_year)
            or (of_author.holder is not null and guests.holder is null)
            or by_trailer.holder is not null,
            false
        ) as is_by_people,
        parts.is_of_project
    from named
    inner join parts on named.repository_id = parts.repository_id and named.holder = parts.holder
    left join of_author
        on
            named.repository_id = of_author.repository_id
            and named.holder = of_author.holder
            and named.author_name = of_author.author_name
            and named.author_address = of_author.author_address
    left join guests
        on named.commit_sha = guests.commit_sha and named.path = guests.path and named.holder = guests.holder
    left join products on named.repository_id = products.repository_id and named.commit_sha = products.commit_sha
    left join by_trailer
        on named.commit_sha = by_trailer.commit_sha and named.path = by_trailer.path and named.holder = by_trailer.holder
    where named.status = 'A'
)

select
    commit_sha,
    path,
    holder,
    address,
    is_author,
    first_year,
    last_year,
    authored_year,
    is_told_adapted,
    files,
    all_files,
    have_full_names,
    -- Where a repository has few files, one is no small share of them: its main file may name the employer of its author.
    is_rare
    and not is_by_people
    and (
        1000000 <= all_files * {{ var('foreign_holder_share_micro') }}
        or (
            have_full_names
            and (coalesce(last_year < authored_year, false) or {{ matches('holder', pattern_text(var('foreign_holder_repositories'))) }})
        )
    ) as is_foreign,
    is_by_people or is_of_project as is_known,
    is_own_name
from related
