{{ config(materialized='view') }}
-- The terms of commits whose subject declares no type: words and neighbouring words of the subject, its first word,
-- words of the body, what the lines tell. training/messages.py computes the same to learn the weights.

with commits as (
    select * from {{ ref('int_delivered_commits') }}
),

messages as (
    select * from {{ ref('stg_git__commits') }}
),

types as (
    select * from {{ ref('int_categories__commit_types') }}
),

facts as (
    select * from {{ ref('int_categories__facts') }}
),

undeclared as (
    select
        messages.commit_sha,
        messages.subject,
        substr(coalesce(messages.body, ''), 1, {{ var('message_body_characters') }}) as body
    from messages
    inner join commits
        on messages.commit_sha = commits.commit_sha and messages.repository_id = commits.repository_id
    left join types on messages.commit_sha = types.commit_sha
    where types.commit_sha is null
),

arrays as (
    select
        commit_sha,
        {{ words_of(message_words(message_from_verb('subject'))) }} as from_verb,
        {{ words_of(message_words('subject')) }} as subject,
        {{ words_of(message_words(message_without_trailers('body'))) }} as body
    from undeclared
)

-- A subject without Latin letters says nothing that was learned; that there is no body does.
select
    arrays.commit_sha,
    {{ each(chosen(distinct_of(flattened(array_of([
        array_of([
            "'bias'",
            "concat('first:', " ~ element_of('arrays.from_verb', 1) ~ ")",
            "coalesce(facts.term, 'fact:no lines')",
        ]),
        mapped('arrays.subject', 'word', "concat('subject:', word)"),
        mapped(neighbours_of('arrays.subject'), 'word', "concat('subject:', word)"),
        mapped('arrays.body', 'word', "concat('body:', word)"),
    ]))), 'term', "term not in ('first:', 'subject:')")) }} as term
from arrays
left join facts on arrays.commit_sha = facts.commit_sha
