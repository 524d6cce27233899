-- Texts in other languages that a commit brought for many languages at once: nobody writes so many, translators or a program did.
-- The language in which the repository had its first texts, and English, are those of the program itself.

with changes as (
    select * from {{ ref('int_files__changes') }}
    where language = 'Translation' and status <> 'D' and lines_added > 0
),

named as (
    select
        *,
        -- The last folder that is named like a language says it, or else the name of the file.
        coalesce(
            nullif({{ first_match('path', pattern_text(var('translation_folders')), 1) }}, ''),
            nullif({{ first_match('path', pattern_text(var('translation_names')), 1) }}, '')
        ) as text_locale
    from changes
),

-- People who write German write it for Austria and Switzerland too.
spoken as (
    select
        *,
        {{ first_match('lower(text_locale)', pattern_text('^[a-z]+')) }} as text_language
    from named
),

arrived as (
    select
        repository_id,
        delivery_number,
        commit_number,
        text_language,
        sum(lines_added) as lines_added
    from spoken
    where text_language is not null
    group by repository_id, delivery_number, commit_number, text_language
),

-- Of languages that came first together, the one with most lines.
ordered as (
    select
        *,
        row_number() over (
            partition by repository_id order by delivery_number, commit_number, lines_added desc, text_language
        ) as place
    from arrived
),

others as (
    select spoken.*
    from spoken
    inner join ordered as firsts on spoken.repository_id = firsts.repository_id and firsts.place = 1
    where
        spoken.text_language is not null
        and spoken.text_language <> firsts.text_language
        and spoken.text_language not in ('en', 'english')
),

counted as (
    select
        commit_sha,
        count(distinct text_language) as languages
    from others
    group by commit_sha
)

select
    others.commit_sha,
    others.path,
    others.original_path,
    concat(
        'texts in ', {{ with_thousands('counted.languages') }}, ' languages came in one commit: those of translators'
    ) as sign
from others
inner join counted on others.commit_sha = counted.commit_sha
where counted.languages >= {{ var('translated_languages') }}
