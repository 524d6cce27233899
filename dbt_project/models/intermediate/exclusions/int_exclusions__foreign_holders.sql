-- New files whose copyright lines name only people and companies that have no part in the repository. A holder has a
-- part in it by the name of the repository or its owner, by a person who commits to it or the domain of that person's
-- address, or because many files name it, which did not arrive at once. A person whom only the files of one author name,
-- again and again, is that author under another name. A file that also names somebody who has a part in the repository
-- is adapted where the stranger's years begin earlier and end before the year in which the file came, or in it where the subject says adapted: the stranger wrote elsewhere.

with copyrights as (
    select * from {{ ref('stg_git__copyrights') }}
),

commits as (
    select
        commit_sha,
        repository_id,
        author_name,
        author_address,
        {{ matches('lower(subject)', pattern_text(var('foreign_adapted_subjects'))) }} as is_told_adapted,
        {{ epoch_micros('authored_at') }} as authored_micros,
        cast(extract(year from authored_at) as integer) as authored_year
    from {{ ref('int_commits') }}
    where delivery_sha is not null and not is_upstream
),

repositories as (
    select
        repository_id,
        -- The path of a local repository names no owner, and the host is none.
        {{ words_of(replaced(
            "concat(lower(name), ' ', case when position('/' in origin) > 1 then "
            ~ replaced('lower(origin)', pattern_text('^[^/]*/'), "''") ~ " else '' end)",
            pattern_text('[^a-z0-9]+'), "' '"
        )) }} as words
    from {{ ref('int_repositories') }}
),

changes as (
    select
        changes.repository_id,
        changes.commit_sha,
        changes.path
    from {{ ref('stg_git__file_changes') }} as changes
    inner join commits on changes.commit_sha = commits.commit_sha and changes.repository_id = commits.repository_id
    where changes.status = 'A' and changes.role in ('source', 'test') and not {{ is_worthless_file('changes') }}
),

sizes as (
    select
        repository_id,
        count(*) as files
    from changes
    group by repository_id
),

named as (
    select
        copyrights.repository_id,
        copyrights.commit_sha,
        copyrights.path,
        copyrights.status,
        copyrights.holder,
        copyrights.address,
        copyrights.is_author,
        copyrights.first_year,
        copyrights.last_year
    from copyrights
    inner join commits on copyrights.commit_sha = commits.commit_sha and copyrights.repository_id = commits.repository_id
),

holder_names as (
    select distinct
        repository_id,
        holder,
        {{ compared_name('holder') }} as name
    from named
),

holder_words as (
    select
        repository_id,
        holder,
        {{ each(distinct_of(words_of('name'))) }} as word
    from holder_names
),

-- The same people in another line: "A, B and C" became "A and C".
alike as (
    select
        one.repository_id,
        one.holder,
        other.holder as other_holder
    from holder_words as one
    inner join holder_words as other on one.repository_id = other.repository_id and one.word = other.word
    where length(one.word) > 2
    group by one.repository_id, one.holder, other.holder
    having count(*) > 1 or one.holder = other.holder
),

-- A new version of a file that came with a holder says nothing of who works on it here.
renewed as (
    select distinct
        later.repository_id,
        later.holder,
        later.commit_sha,
        later.path
    from named as later
    inner join alike on later.repository_id = alike.repository_id and later.holder = alike.holder
    inner join named as first
        on
            later.repository_id = first.repository_id
            and later.path = first.path
            and alike.other_holder = first.holder
    where later.status <> 'A' and first.status = 'A'
),

-- How many files name a holder, and how they came.
by_commit as (
    select
        named.repository_id,
        named.holder,
        named.commit_sha,
        count(distinct case when named.status = 'A' then named.path end) as new_files,
        count(distinct case when named.status <> 'A' and renewed.path is null then named.path end) as changed_files
    from named
    left join renewed
        on
            named.repository_id = renewed.repository_id
            and named.holder = renewed.holder
            and named.commit_sha = renewed.commit_sha
            and named.path = renewed.path
    group by named.repository_id, named.holder, named.commit_sha
),

counted as (
    select
        by_commit.repository_id,
        by_commit.holder,
        sum(by_commit.new_files) as new_files,
        sum(by_commit.changed_files) as changed_files,
        sum(case when by_commit.new_files > 0 then 1 else 0 end) as commits,
        max(by_commit.new_files) as most_at_once,
        count(distinct case when by_commit.new_files > 0 then commits.author_address end) as authors,
        min(case when by_commit.new_files > 0 then commits.author_address end) as author_address
    from by_commit
    inner join commits on by_commit.commit_sha = commits.commit_sha and by_commit.repository_id = commits.repository_id
    group by by_commit.repository_id, by_commit.holder
),

holders as (
    select
        repository_id,
        holder,
        {{ compared_name('holder') }} as name,
        replace({{ compared_name('holder') }}, ' ', '') as squeezed
    from counted
),

-- The forms in which a domain or a login may write the holder: each word, the first two words, all of them.
holder_forms as (
    select
        repository_id,
        holder,
        word as form
    from holder_words
    union all
    select
        repository_id,
        holder,
        squeezed as form
    from holders
    union all
    select
        repository_id,
        holder,
        replace({{ first_match('name', pattern_text('^[^ ]+ [^ ]+')) }}, ' ', '') as form
    from holders
),

people as (
    select
        repository_id,
        author_name,
        author_address,
        {{ compared_name('author_name') }} as name,
        {{ first_match('author_address', pattern_text('^(?:[0-9]+[+])?([^@+]*)'), 1) }} as login,
        {{ words_of(replaced(
            first_match('author_address', pattern_text('@(.*)[.][^.]*$'), 1), pattern_text('[.]'), "' '"
        )) }} as labels,
        count(*) as commits,
        min(authored_micros) as first_micros
    from commits
    group by repository_id, author_name, author_address
),

person_words as (
    select distinct
        repository_id,
        author_name,
        author_address,
        {{ each(words_of('name')) }} as word,
        {{ size_of(distinct_of(words_of('name'))) }} as words,
        commits,
        first_micros
    from people
),

person_labels as (
    select distinct
        repository_id,
        author_name,
        author_address,
        {{ each('labels') }} as label,
        commits,
        first_micros
    from people
),

person_forms as (
    select
        repository_id,
        author_name,
        author_address,
        label as form,
        commits,
        first_micros,
        false as is_part_of_name
    from person_labels
    where length(label) > 1 and not {{ matches('label', pattern_text(var('foreign_holder_shared_hosts'))) }}
    union all
    select
        repository_id,
        author_name,
        author_address,
        replace(login, '.', '') as form,
        commits,
        first_micros,
        -- The first name that many people have.
        position(' ' in name) > 0 and position(concat(' ', login, ' ') in concat(' ', name, ' ')) > 0 as is_part_of_name
    from people
    where length(login) > 2
    union all
    select
        repository_id,
        author_name,
        author_address,
        replace(name, ' ', '') as form,
        commits,
        first_micros,
        false as is_part_of_name
    from people
    where length(name) > 2
),

-- Two words of a name, or the only one.
same_names as (
    select
        holder_words.repository_id,
        holder_words.holder,
        person_words.author_name,
        person_words.author_address,
        max(person_words.commits) as commits,
        min(person_words.first_micros) as first_micros
    from holder_words
    inner join person_words
        on holder_words.repository_id = person_words.repository_id and holder_words.word = person_words.word
    where length(holder_words.word) > 2
    group by holder_words.repository_id, holder_words.holder, person_words.author_name, person_words.author_address
    having count(*) >= least(2, max(person_words.words))
),

related as (
    select * from same_names
    union distinct
    select
        holder_forms.repository_id,
        holder_forms.holder,
        person_forms.author_name,
        person_forms.author_address,
        person_forms.commits,
        person_forms.first_micros
    from holder_forms
    inner join person_forms
        on holder_forms.repository_id = person_forms.repository_id and holder_forms.form = person_forms.form
    inner join holders
        on holder_forms.repository_id = holders.repository_id and holder_forms.holder = holders.holder
    where not person_forms.is_part_of_name or holder_forms.form = holders.squeezed
    union distinct
    select
        named.repository_id,
        named.holder,
        people.author_name,
        people.author_address,
        people.commits,
        people.first_micros
    from named
    inner join people on named.repository_id = people.repository_id and named.address = people.author_address
),

pairs as (
    select distinct
        named.repository_id,
        named.holder,
        commits.author_name,
        commits.author_address
    from named
    inner join commits on named.repository_id = commits.repository_id and named.commit_sha = commits.commit_sha
    where named.status = 'A'
),

-- Those of the author of the file: one word of the name is enough, also as a part of the login.
of_author as (
    select
        repository_id,
        holder,
        author_name,
        author_address
    from related
    union distinct
    select
        holder_words.repository_id,
        holder_words.holder,
        person_words.author_name,
        person_words.author_address
    from holder_words
    inner join person_words
        on holder_words.repository_id = person_words.repository_id and holder_words.word = person_words.word
    where length(holder_words.word) > 2
    union distinct
    select
        pairs.repository_id,
        pairs.holder,
        pairs.author_name,
        pairs.author_address
    from pairs
    inner join holder_words on pairs.repository_id = holder_words.repository_id and pairs.holder = holder_words.holder
    where
        length(holder_words.word) > 3
        and position(holder_words.word in {{ first_match('pairs.author_address', pattern_text('^[^@]*')) }}) > 0
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
    where named.status = 'A' and position(named.holder in lower(signed.trailer.value)) > 0
),

-- Who comes long after a file has no part in its arrival.
by_people as (
    select
        repository_id,
        holder,
        min(first_micros) - {{ var('foreign_holder_people_days') * 86400000000 }} as from_micros
    from related
    group by repository_id, holder
    having sum(commits) >= {{ var('foreign_holder_people_commits') }}
),

repository_words as (
    select
        repository_id,
        {{ each('words') }} as word
    from repositories
),

by_project as (
    select distinct
        holders.repository_id,
        holders.holder
    from holders
    inner join repository_words on holders.repository_id = repository_words.repository_id
    where length(repository_words.word) > 2 and position(repository_words.word in holders.squeezed) > 0
),

authors as (
    select
        repository_id,
        author_address,
        sum(commits) as commits
    from people
    group by repository_id, author_address
),

-- First and last name of somebody whose login is a nickname.
own_names as (
    select
        counted.repository_id,
        counted.holder
    from counted
    inner join holders on counted.repository_id = holders.repository_id and counted.holder = holders.holder
    inner join authors
        on counted.repository_id = authors.repository_id and counted.author_address = authors.author_address
    where
        counted.authors = 1
        and counted.commits >= {{ var('foreign_holder_own_commits') }}
        and authors.commits >= {{ var('foreign_holder_people_commits') }}
        and {{ size_of(words_of('holders.name')) }} = 2
),

foreign_holders as (
    select
        counted.repository_id,
        counted.holder,
        counted.new_files + counted.changed_files as files,
        sizes.files as all_files
    from counted
    inner join sizes on counted.repository_id = sizes.repository_id
    left join by_project on counted.repository_id = by_project.repository_id and counted.holder = by_project.holder
    left join own_names on counted.repository_id = own_names.repository_id and counted.holder = own_names.holder
    where
        coalesce(by_project.holder, own_names.holder) is null
        and counted.new_files * 1000000 <= sizes.files * {{ var('foreign_holder_share_micro') }}
        and counted.changed_files <= {{ var('foreign_holder_files') }}
        and (
            counted.new_files <= {{ var('foreign_holder_files') }}
            or counted.commits <= {{ var('foreign_holder_commits') }}
            or counted.most_at_once * 1000000 >= counted.new_files * {{ var('foreign_holder_at_once_micro') }}
        )
),

judged as (
    select
        named.commit_sha,
        named.path,
        named.holder,
        named.address,
        named.is_author,
        named.first_year,
        named.last_year,
        commits.authored_year,
        commits.is_told_adapted,
        counted.new_files + counted.changed_files as files,
        sizes.files as all_files,
        -- A nickname tells too little to say that two people differ.
        {{ size_of(words_of(compared_name('named.holder'))) }} > 1
        and {{ size_of(words_of(compared_name('commits.author_name'))) }} > 1 as have_full_names,
        foreign_holders.holder is not null
        and coalesce(by_people.holder, of_author.holder, by_trailer.holder) is null as is_foreign,
        coalesce(by_people.holder, by_project.holder, of_author.holder, by_trailer.holder) is not null as is_known,
        own_names.holder is not null as is_own_name
    from named
    inner join commits on named.commit_sha = commits.commit_sha and named.repository_id = commits.repository_id
    left join counted on named.repository_id = counted.repository_id and named.holder = counted.holder
    left join sizes on named.repository_id = sizes.repository_id
    left join own_names on named.repository_id = own_names.repository_id and named.holder = own_names.holder
    left join foreign_holders
        on named.repository_id = foreign_holders.repository_id and named.holder = foreign_holders.holder
    left join by_people
        on
            named.repository_id = by_people.repository_id
            and named.holder = by_people.holder
            and commits.authored_micros >= by_people.from_micros
    left join by_project on named.repository_id = by_project.repository_id and named.holder = by_project.holder
    left join of_author
        on
            named.repository_id = of_author.repository_id
            and named.holder = of_author.holder
            and commits.author_name = of_author.author_name
            and commits.author_address = of_author.author_address
    left join by_trailer
        on named.commit_sha = by_trailer.commit_sha and named.path = by_trailer.path and named.holder = by_trailer.holder
    where named.status = 'A'
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
        and count(case when not is_author and coalesce(last_year, authored_year) >= authored_year then 1 end) = 0 as is_elder
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
