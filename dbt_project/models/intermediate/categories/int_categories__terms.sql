{{ config(materialized='view') }}
-- The terms of messages whose category the model decides or may overrule: words and neighbouring words of the subject,
-- its first word, and words of the body. training/messages.py computes the same words.

with commits as (
    select * from {{ ref('int_delivered_commits') }}
),

messages as (
    select * from {{ ref('stg_git__commits') }}
),

types as (
    select * from {{ ref('int_categories__commit_types') }}
),

-- A declared type that the model may overrule is no term, or it would support itself.
judged as (
    select
        messages.commit_sha,
        case
            when types.commit_sha is null then messages.subject
            else {{ replaced('messages.subject', pattern_text('^[A-Za-z]{2,9}(?:\\([^()]*\\))?!?: '), "''") }}
        end as subject,
        substr(
            {{ message_without_templates("coalesce(messages.body, '')") }}, 1, {{ var('message_body_characters') }}
        ) as body
    from messages
    inner join commits
        on messages.commit_sha = commits.commit_sha and messages.repository_id = commits.repository_id
    left join types on messages.commit_sha = types.commit_sha
    where types.commit_sha is null or types.is_overrulable
),

arrays as (
    select
        commit_sha,
        {{ words_of(message_words(message_from_verb('subject'))) }} as from_verb,
        {{ words_of(message_words('subject')) }} as subject,
        {{ words_of(message_words('body')) }} as body
    from judged
),

-- The model knows no words of a subject without Latin letters, so the change alone decides.
words as (
    select
        commit_sha,
        case
            when {{ element_of('subject', 1) }} <> '' then {{ distinct_of(flattened(array_of([
                array_of(["concat('first:', " ~ element_of('from_verb', 1) ~ ")"]),
                mapped('subject', 'word', "concat('subject:', word)"),
                mapped(neighbours_of('subject'), 'word', "concat('subject:', word)"),
                mapped('body', 'word', "concat('body:', word)"),
            ]))) }}
            else {{ chosen(array_of(["'first:'"]), 'term', 'false') }}
        end as terms
    from arrays
)

select
    commit_sha,
    {{ each(flattened(array_of([array_of(["'bias'"]), chosen('terms', 'term', "term <> 'first:'")]))) }} as term
from words
