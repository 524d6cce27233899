-- What a commit's files tell of its kind, as terms that the model weighs beside those of the message.

with files as (
    select * from {{ ref('int_files') }}
),

counts as (
    select
        commit_sha,
        count(*) as files,
        sum(case when role = 'source' then 1 else 0 end) as source_files,
        sum(case when role = 'test' then 1 else 0 end) as test_files,
        sum(case when role = 'documentation' then 1 else 0 end) as documentation_files,
        sum(case when status = 'A' and role = 'source' then 1 else 0 end) as new_source_files,
        sum(case when status = 'D' then 1 else 0 end) as deleted_files,
        sum(case when status = 'R' then 1 else 0 end) as renamed_files,
        sum(lines_added) as lines_added,
        sum(lines_deleted) as lines_deleted
    from files
    group by commit_sha
)

select
    commit_sha,
    {{ array_of([
        "case when new_source_files > 0 then 'fact:new source file' else 'fact:no new source file' end",
        "case when test_files > 0 then 'fact:tests' else 'fact:no tests' end",
        "case when documentation_files > 0 then 'fact:documentation' else 'fact:no documentation' end",
        "case when deleted_files > 0 then 'fact:deleted file' else 'fact:no deleted file' end",
        "case when renamed_files > 0 then 'fact:renamed file' else 'fact:no renamed file' end",
        "case when files = 1 then 'fact:one file' when files <= 3 then 'fact:few files' when files <= 10 then 'fact:some files' else 'fact:many files' end",
        "case when lines_added + lines_deleted <= 5 then 'fact:tiny' when lines_added + lines_deleted <= 25 then 'fact:small' when lines_added + lines_deleted <= 100 then 'fact:medium' when lines_added + lines_deleted <= 400 then 'fact:large' else 'fact:huge' end",
        "case when lines_deleted = 0 then 'fact:only adds' when lines_added = 0 then 'fact:only deletes' when lines_added > 4 * lines_deleted then 'fact:mostly adds' when lines_deleted > 2 * lines_added then 'fact:mostly deletes' else 'fact:edits' end",
    ]) }} as terms
from counts
