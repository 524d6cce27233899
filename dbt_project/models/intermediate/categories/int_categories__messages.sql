-- The kind of a commit by the linear model, for commits whose subject declares no type. Sums of integers, so that
-- neither the order of the terms nor the machine can change a decision.

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

weights as (
    select * from {{ ref('category_terms') }}
),

undeclared as (
    select
        messages.commit_sha,
        {{ message_words('messages.subject') }} as subject,
        {{ message_words('substr(messages.body, 1, ' ~ var('message_body_characters') ~ ')') }} as body
    from messages
    inner join commits
        on messages.commit_sha = commits.commit_sha and messages.repository_id = commits.repository_id
    left join types on messages.commit_sha = types.commit_sha
    where types.commit_sha is null
),

arrays as (
    select
        commit_sha,
        {{ words_of('subject') }} as subject,
        {{ words_of('body') }} as body
    from undeclared
),

terms as (
    select
        arrays.commit_sha,
        {{ each(distinct_of(flattened(array_of([
            array_of(["'bias'", "concat('first:', " ~ element_of('arrays.subject', 1) ~ ")"]),
            mapped('arrays.subject', 'word', "concat('subject:', word)"),
            mapped(neighbours_of('arrays.subject'), 'word', "concat('subject:', word)"),
            mapped('arrays.body', 'word', "concat('body:', word)"),
            'coalesce(facts.terms, ' ~ array_of(["'fact:no files'"]) ~ ')',
        ])))) }} as term
    from arrays
    left join facts on arrays.commit_sha = facts.commit_sha
),

scores as (
    select
        terms.commit_sha,
        cast(sum(weights.features_micro) as bigint) as features_micro,
        cast(sum(weights.maintenance_micro) as bigint) as maintenance_micro,
        cast(sum(weights.fixes_micro) as bigint) as fixes_micro,
        max_by(terms.term, cast(weights.features_micro as bigint) * 100000 + weights.term_number) as features_term,
        max_by(terms.term, cast(weights.maintenance_micro as bigint) * 100000 + weights.term_number) as maintenance_term,
        max_by(terms.term, cast(weights.fixes_micro as bigint) * 100000 + weights.term_number) as fixes_term
    from terms
    inner join weights on terms.term = weights.term
    group by terms.commit_sha
),

decided as (
    select
        *,
        case
            when fixes_micro >= features_micro and fixes_micro >= maintenance_micro then 'fixes'
            when features_micro >= maintenance_micro then 'features'
            else 'maintenance'
        end as category
    from scores
)

select
    commit_sha,
    category,
    round(1 / (
        exp((features_micro - greatest(features_micro, maintenance_micro, fixes_micro)) / 1000000.0)
        + exp((maintenance_micro - greatest(features_micro, maintenance_micro, fixes_micro)) / 1000000.0)
        + exp((fixes_micro - greatest(features_micro, maintenance_micro, fixes_micro)) / 1000000.0)
    ), 2) as confidence,
    case category
        when 'fixes' then fixes_term
        when 'features' then features_term
        else maintenance_term
    end as evidence
from decided
