-- New files whose copyright lines name only people and companies that have no part in the repository. A holder has a
-- part in it by the name of the repository or its owner, by a person who commits to it or the domain of that person's
-- address, or because many files name it, which did not arrive at once. A person whom only the files of one author name,
-- again and again, is that author under another name. A file that also names somebody who has a part in the repository
-- is adapted where the stranger's years begin earlier and end before the year in which the file came, or in it where the subject says adapted: the stranger wrote elsewhere.

with judged as (
    select * from {{ ref('int_exclusions__holder_files') }}
),

ranked as (
    select
        *,
        row_number() over (
            partition by commit_sha, path order by is_author, is_foreign desc, files desc, holder, address
        ) as place
    from judged
),

whole as (
    select
        commit_sha,
        path,
        max(case when place = 1 then holder end) as holder,
        max(case when place = 1 then files end) as holder_files,
        max(all_files) as repository_files,
        count(case when not is_author then 1 end) = 0 as is_by_author,
        count(case when not is_author then 1 end) > 0
        and (
            -- A banner may name the library too, without a year.
            (
                count(case when not is_author and last_year is not null then 1 end) > 0
                and count(
                    case
                        when not is_author and (last_year >= authored_year or (last_year is null and first_year is not null)) then 1
                    end
                ) = 0
            )
            -- Where no year tells it, several strangers who worked on it before do.
            or (
                count(case when not is_author and last_year is not null then 1 end) = 0
                and count(case when is_author and is_foreign and have_full_names then 1 end) > 1
            )
        ) as is_elder
    from ranked
    group by commit_sha, path
    having
        (
            count(case when not is_author then 1 end) > 0
            -- Nobody states a copyright, and the authors are strangers.
            or count(case when not is_foreign or not have_full_names then 1 end) = 0
        )
        -- One of the project's own people beside a foreign holder has worked on the file.
        and count(case when not is_author and not is_foreign then 1 end) = 0
        and count(case when is_author and is_known then 1 end) = 0
),

-- Whoever is no person of the repository may still be named by many files that began as copies of one.
parts as (
    select
        *,
        is_known or is_own_name as is_own,
        not is_foreign
        and not is_known
        and not is_own_name
        and max(case when is_known or is_own_name then 1 else 0 end) over (partition by commit_sha, path) = 0 as is_widespread
    from judged
    where not is_author
),

own_years as (
    select
        commit_sha,
        path,
        min(holder) as holder,
        min(first_year) as first_year
    from parts
    where is_own or is_widespread
    group by commit_sha, path
    having count(*) = count(first_year)
),

elder as (
    select
        parts.commit_sha,
        parts.path,
        parts.holder,
        parts.files,
        parts.all_files,
        parts.is_foreign,
        own_years.holder as beside,
        row_number() over (
            partition by parts.commit_sha, parts.path order by parts.is_foreign desc, parts.files desc, parts.holder, parts.address
        ) as place
    from parts
    inner join own_years on parts.commit_sha = own_years.commit_sha and parts.path = own_years.path
    where
        not parts.is_own
        and not parts.is_widespread
        and parts.first_year < least(own_years.first_year, parts.authored_year)
        and (
            parts.last_year < case when parts.is_foreign then parts.authored_year else own_years.first_year end
            or (parts.is_foreign and parts.is_told_adapted and parts.last_year = parts.authored_year)
        )
)

select
    commit_sha,
    path,
    holder,
    holder_files,
    repository_files,
    is_by_author,
    cast(null as {{ dbt.type_string() }}) as beside,
    true as is_rare,
    is_elder
from whole
union all
select
    commit_sha,
    path,
    holder,
    files as holder_files,
    all_files as repository_files,
    false as is_by_author,
    beside,
    is_foreign as is_rare,
    false as is_elder
from elder
where place = 1
