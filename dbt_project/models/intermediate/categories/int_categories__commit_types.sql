-- The type that a subject declares, as in "feat(parser)!: …". Git's own texts of reverts and merges count too: their
-- other words come from the work that they undo or bring in. A subject that names a formatter or linter and nothing else
-- ("Run black", "Fix flake8 errors") declares its type as well; beside a part of the code or a rule it may be any work.
-- So does one that only names annotations of types.

with commits as (
    select * from {{ ref('int_delivered_commits') }}
),

messages as (
    select * from {{ ref('stg_git__commits') }}
),

types as (
    select * from {{ ref('commit_types') }}
),

declared as (
    select
        messages.commit_sha,
        case
            when left(messages.subject, 8) = 'Revert "' then 'revert'
            when commits.is_merge and left(messages.subject, 6) = 'Merge ' then 'merge'
            when {{ matches('lower(messages.subject)', pattern_text(
                '^((run|ran|re-?run|appl(y|ied|ies)|set ?up|adopt|please|appease|satisfy|make|fix(ed|es)?'
                ~ '|(re-?)?format(ted)? ((code|everything|files) )?(with|using|by)|lint(ed)? with) )?'
                ~ '`?' ~ var('category_lint_tools') ~ '`?((, | & | and |, and )`?' ~ var('category_lint_tools') ~ '`?)*'
                ~ '( (on|over|to|against) ((the|all|whole|entire) )*(code ?base|code|files|sources|repo|repository|everything))?'
                ~ '( (fix(es)?|suggestions?|warnings?|complaints?|lints?|errors?|issues?|violations?|formatting|style|pass|run'
                ~ '|happy|config|configuration))*[.!]?( ?[(]#[0-9]+[)])?$'
            )) }} then 'lint'
            when {{ matches('lower(messages.subject)', pattern_text(
                '^((add(s|ed|ing)?|use|fix(es|ed)?|improv(e|es|ed)|complet(e|es|ed)|updat(e|es|ed)|moderni[sz](e|es|ed)) )?'
                ~ '((more|missing|some|the|all|static|inline|basic|initial|modern|better|python|comprehensive) )*'
                ~ '((type|typing) (annotations?|hints?|hinting)|(from )?`?__future__`? (import )?`?annotations`?)'
                ~ '( (to|in|on|across|everywhere)( [a-z0-9_./`()-]+){0,4})?[.!]?( ?[(]#[0-9]+[)])?$'
            )) }} then 'types'
            else lower({{ first_match('messages.subject', pattern_text('^([A-Za-z]{2,9})(?:\\([^()]*\\))?!?: '), 1) }})
        end as type
    from messages
    inner join commits
        on messages.commit_sha = commits.commit_sha and messages.repository_id = commits.repository_id
)

select
    declared.commit_sha,
    declared.type,
    types.category,
    types.is_overrulable
from declared
inner join types on declared.type = types.type
