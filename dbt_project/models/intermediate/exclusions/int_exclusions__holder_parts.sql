-- What part each holder has in the repository: by its name, by people who work on it, or as an author's other name. A
-- holder that many files name, which did not arrive at once, is no rare one.

with holders as (
    select * from {{ ref('int_exclusions__holder_counts') }}
),

people as (
    select * from {{ ref('int_exclusions__holder_people') }}
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
    where
        length(repository_words.word) > 2
        and position(repository_words.word in replace(holders.holder_name, ' ', '')) > 0
        -- A short word is a part of many names.
        and (
            length(repository_words.word) >= {{ var('foreign_holder_word_letters') }}
            or position(concat(' ', repository_words.word, ' ') in concat(' ', holders.holder_name, ' ')) > 0
        )
),

-- Who comes long after a file has no part in its arrival.
by_people as (
    select
        repository_id,
        holder,
        min(first_micros) - {{ var('foreign_holder_people_days') * 86400000000 }} as from_micros
    from people
    where is_named
    group by repository_id, holder
    having sum(commits) >= {{ var('foreign_holder_people_commits') }}
),

authors as (
    select
        repository_id,
        author_address,
        count(*) as commits
    from {{ ref('int_commits') }}
    where delivery_sha is not null and not is_upstream
    group by repository_id, author_address
),

-- First and last name of somebody whose login is a nickname. An author who names another of two words, or brings years that
-- were over, brings the work of a stranger where hardly any of their files has it.
own_names as (
    select
        holders.repository_id,
        holders.holder
    from holders
    inner join authors
        on holders.repository_id = authors.repository_id and holders.author_address = authors.author_address
    where
        holders.authors = 1
        and holders.commits >= {{ var('foreign_holder_own_commits') }}
        and holders.new_paths >= {{ var('foreign_holder_own_commits') }}
        and authors.commits >= {{ var('foreign_holder_people_commits') }}
        and {{ size_of(words_of('holders.holder_name')) }} = 2
        -- A repository or a group of others is no name of a person.
        and not {{ matches('holders.holder', pattern_text(var('foreign_holder_repositories'))) }}
        and not {{ matches('holders.holder_name', pattern_text(var('foreign_holder_groups'))) }}
        and (
            holders.new_files * 1000000 >= holders.author_files * {{ var('foreign_holder_own_share_micro') }}
            or not (
                holders.is_of_past
                or (
                    holders.is_by_author
                    and {{ size_of(words_of(compared_name('holders.author_name'))) }} > 1
                    and position({{ first_match(compared_name('holders.author_name'), pattern_text('^[^ ]+')) }} in holders.holder_name) = 0
                    and position({{ first_match(compared_name('holders.author_name'), pattern_text('[^ ]+$')) }} in holders.holder_name) = 0
                )
            )
        )
),

-- Repositories whose own people name themselves in file after file.
own_holders as (
    select distinct holders.repository_id
    from holders
    left join by_project on holders.repository_id = by_project.repository_id and holders.holder = by_project.holder
    left join by_people on holders.repository_id = by_people.repository_id and holders.holder = by_people.holder
    where
        (by_project.holder is not null or by_people.holder is not null)
        and holders.commits >= {{ var('foreign_vendor_own_commits') }}
)

select
    holders.repository_id,
    holders.holder,
    holders.new_files + holders.changed_files as files,
    holders.repository_files,
    by_project.holder is not null as is_of_project,
    own_names.holder is not null as is_own_name,
    by_people.from_micros as people_from_micros,
    holders.commits = 1 as is_of_one_commit,
    holders.changed_files = 0
    and holders.most_at_once * 1000000 >= holders.new_files * {{ var('foreign_holder_at_once_micro') }} as arrived_together,
    coalesce(
        by_project.holder is null
        and own_names.holder is null
        and (
            holders.new_files * 1000000 <= holders.repository_files * {{ var('foreign_holder_share_micro') }}
            -- One file of few.
            or (holders.new_files = 1 and holders.repository_files >= {{ var('foreign_holder_least_files') }})
            -- The vendor of one folder, which has its licence or is a foundation.
            or (
                holders.folders = 1
                and (holders.licences > 0 or {{ matches('holders.holder_name', pattern_text(' foundation$')) }})
                and holders.changed_files = 0
                and holders.commits <= {{ var('foreign_vendor_commits') }}
                and holders.new_files * 2 <= holders.repository_files
            )
            -- The vendor whom nearly all files of some folders name, beside people who name themselves in theirs.
            or (
                own_holders.repository_id is not null
                and holders.filled_files * 1000000 >= holders.new_files * {{ var('foreign_vendor_folder_micro') }}
                and holders.new_files * 2 <= holders.repository_files
                and holders.commits * {{ var('foreign_vendor_files') }} <= holders.new_files
            )
        )
        and holders.changed_files <= {{ var('foreign_holder_files') }}
        and (
            holders.new_files <= {{ var('foreign_holder_files') }}
            or holders.commits <= {{ var('foreign_holder_commits') }}
            or holders.most_at_once * 1000000 >= holders.new_files * {{ var('foreign_holder_at_once_micro') }}
        ),
        false
    ) as is_rare
from holders
left join by_project on holders.repository_id = by_project.repository_id and holders.holder = by_project.holder
left join by_people on holders.repository_id = by_people.repository_id and holders.holder = by_people.holder
left join own_holders on holders.repository_id = own_holders.repository_id
left join own_names on holders.repository_id = own_names.repository_id and holders.holder = own_names.holder
