-- People who may be a holder: who have two words of the name, or write it into a login or a domain, or have the address
-- beside it. Of the authors of a file one word is enough, also as a part of the login.

with named as (
    select * from {{ ref('int_exclusions__holder_names') }}
),

commits as (
    select
        repository_id,
        author_name,
        author_address,
        {{ epoch_micros('authored_at') }} as authored_micros
    from {{ ref('int_commits') }}
    where delivery_sha is not null and not is_upstream
),

signatures as (
    select
        repository_id,
        author_name,
        author_address,
        {{ compared_name('author_name') }} as signed_name,
        {{ first_match('author_address', pattern_text('^(?:[0-9]+[+])?([^@+]*)'), 1) }} as login,
        {{ words_of(replaced(
            first_match('author_address', pattern_text('@(.*)[.][^.]*$'), 1), pattern_text('[.]'), "' '"
        )) }} as labels,
        count(*) as commits,
        min(authored_micros) as first_micros
    from commits
    group by repository_id, author_name, author_address
),

-- Who signs with a first name here and with the whole name there, at one address, has the whole name.
whole_names as (
    select
        signatures.repository_id,
        signatures.author_name,
        signatures.author_address,
        min(other.signed_name) as whole_name
    from signatures
    inner join signatures as other
        on
            signatures.repository_id = other.repository_id
            and signatures.author_address = other.author_address
    where
        position(' ' in signatures.signed_name) = 0
        and position(' ' in other.signed_name) > 0
        and position(concat(' ', signatures.signed_name, ' ') in concat(' ', other.signed_name, ' ')) > 0
    group by signatures.repository_id, signatures.author_name, signatures.author_address
),

people as (
    select
        signatures.*,
        coalesce(whole_names.whole_name, signatures.signed_name) as name,
        whole_names.whole_name is not null as is_first_name
    from signatures
    left join whole_names
        on
            signatures.repository_id = whole_names.repository_id
            and signatures.author_name = whole_names.author_name
            and signatures.author_address = whole_names.author_address
),

holders as (
    select distinct
        repository_id,
        holder,
        holder_name,
        replace(holder_name, ' ', '') as squeezed
    from named
),

holder_words as (
    select
        repository_id,
        holder,
        {{ each(distinct_of(words_of('holder_name'))) }} as word
    from holders
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
        replace({{ first_match('holder_name', pattern_text('^[^ ]+ [^ ]+')) }}, ' ', '') as form
    from holders
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
    union all
    select
        repository_id,
        author_name,
        author_address,
        signed_name as form,
        commits,
        first_micros,
        true as is_part_of_name
    from people
    where is_first_name and length(signed_name) > 2
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
        repository_id,
        holder,
        author_name,
        author_address
    from named
    where status = 'A'
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
)

select
    of_author.repository_id,
    of_author.holder,
    of_author.author_name,
    of_author.author_address,
    related.holder is not null as is_named,
    people.commits,
    people.first_micros
from of_author
inner join people
    on
        of_author.repository_id = people.repository_id
        and of_author.author_name = people.author_name
        and of_author.author_address = people.author_address
left join related
    on
        of_author.repository_id = related.repository_id
        and of_author.holder = related.holder
        and of_author.author_name = related.author_name
        and of_author.author_address = related.author_address
