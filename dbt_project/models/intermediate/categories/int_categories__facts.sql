-- What a commit's lines tell of its kind, as a term that the model weighs beside those of the message.
-- Only what the labelled sets tell too: a fact that nothing was learned from cannot weigh anything.

with files as (
    select * from {{ ref('int_files') }}
),

counts as (
    select
        commit_sha,
        sum(lines_added) as added,
        sum(lines_deleted) as deleted
    from files
    group by commit_sha
)

select
    commit_sha,
    case
        when added + deleted = 0 then 'fact:no lines'
        when deleted = 0 then 'fact:only adds'
        when added = 0 then 'fact:only deletes'
        when added > 4 * deleted then 'fact:mostly adds'
        when deleted > 2 * added then 'fact:mostly deletes'
        else 'fact:edits'
    end as term
from counts
