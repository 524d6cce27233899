-- Commits of a long-lived branch that a squash delivered before the branch was merged: a commit of the mainline has the
-- very files that a commit of a later merge had at an earlier time.

with changes as (
    select * from {{ ref('stg_git__file_changes') }}
    where new_blob is not null and lines_added + lines_deleted > 0
),

commits as (
    select * from {{ ref('stg_git__commits') }}
    where not is_merge
),

delivered as (
    select
        deliveries.repository_id,
        deliveries.commit_sha,
        deliveries.delivery_sha,
        deliveries.delivery_number,
        deliveries.commit_number,
        commits.committed_at
    from {{ ref('int_commit_deliveries') }} as deliveries
    inner join commits
        on deliveries.repository_id = commits.repository_id and deliveries.commit_sha = commits.commit_sha
),

-- Repositories without merges have no branch to squash.
branches as (
    select * from delivered
    where commit_sha <> delivery_sha
),

merged as (
    select
        repository_id,
        max(delivery_number) as last_merge_number
    from branches
    group by repository_id
),

written as (
    select
        branches.*,
        changes.path,
        changes.new_blob,
        cast(changes.lines_added + changes.lines_deleted as bigint) as changed_lines
    from branches
    inner join changes
        on branches.repository_id = changes.repository_id and branches.commit_sha = changes.commit_sha
),

direct as (
    select
        delivered.repository_id,
        delivered.commit_sha,
        delivered.delivery_number,
        delivered.committed_at,
        changes.path,
        changes.new_blob,
        count(*) over (partition by delivered.repository_id, delivered.commit_sha) as files
    from delivered
    inner join merged
        on delivered.repository_id = merged.repository_id and delivered.delivery_number < merged.last_merge_number
    inner join changes
        on delivered.repository_id = changes.repository_id and delivered.commit_sha = changes.commit_sha
    where delivered.commit_sha = delivered.delivery_sha
),

-- The commit of the branch with which a file of the squash ends, and the merge that brings it.
ends as (
    select
        direct.repository_id,
        direct.commit_sha as squash_sha,
        direct.delivery_number as squash_number,
        direct.committed_at as squashed_at,
        direct.files,
        direct.path,
        written.delivery_sha,
        max(written.commit_number) as last_number
    from direct
    inner join written
        on
            direct.repository_id = written.repository_id
            and direct.path = written.path
            and direct.new_blob = written.new_blob
            and direct.delivery_number < written.delivery_number
            and direct.committed_at >= written.committed_at
    group by
        direct.repository_id, direct.commit_sha, direct.delivery_number, direct.committed_at, direct.files, direct.path,
        written.delivery_sha
),

-- A single equal file is no squash: people copy files between branches. Four of five equal files are.
squashes as (
    select
        repository_id,
        squash_sha,
        delivery_sha
    from ends
    group by repository_id, squash_sha, delivery_sha
    having count(*) * 5 >= max(files) * 4
),

-- Each squash has the commits since the one before.
bounded as (
    select
        ends.*,
        coalesce(lag(ends.last_number) over (
            partition by ends.repository_id, ends.delivery_sha, ends.path order by ends.squash_number
        ), 0) as first_number
    from ends
    inner join squashes
        on
            ends.repository_id = squashes.repository_id
            and ends.squash_sha = squashes.squash_sha
            and ends.delivery_sha = squashes.delivery_sha
),

sources as (
    select
        bounded.repository_id,
        bounded.squash_sha,
        written.commit_sha as source_sha,
        min(bounded.squash_number) as squash_number,
        min(written.commit_number) as source_number,
        sum(written.changed_lines) as weight
    from bounded
    inner join written
        on
            bounded.repository_id = written.repository_id
            and bounded.delivery_sha = written.delivery_sha
            and bounded.path = written.path
            and written.commit_number > bounded.first_number
            and written.commit_number <= bounded.last_number
            and written.committed_at <= bounded.squashed_at
    group by bounded.repository_id, bounded.squash_sha, written.commit_sha
),

-- A commit that two squashes may have brought came with the first.
chosen as (
    select
        sources.*,
        row_number() over (partition by repository_id, source_sha order by squash_number) as choice
    from sources
)

select
    chosen.repository_id,
    chosen.squash_sha,
    chosen.source_sha,
    chosen.source_number,
    trim(commits.author_name) as author_name,
    {{ compared_address('commits.author_email') }} as author_address,
    cast(chosen.weight as bigint) as weight,
    chosen.choice = 1 as is_first
from chosen
inner join commits on chosen.repository_id = commits.repository_id and chosen.source_sha = commits.commit_sha
