-- Removed lines that count: the first ten of a file and the first hundred of a delivery in full, the rest at a lower
-- weight. The ten lines are per developer and two weeks, so that a change in several parts earns the same as in one.
-- A repeated substitution is one act, so the lines that it replaces are no removals of their own. Lines of others that came
-- with a file from another project earn nothing; a substitution replaces these first. Nor do the lines of the first code
-- of a history where their whole file goes; whoever works on such a file has to read it.

with {{ eligible_deaths() }}

restored as (
    select * from {{ ref('int_points__restored') }}
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

-- Code that came whole with its history.
imports as (
    select brought.commit_sha
    from (
        select commit_sha from {{ ref('int_exclusions__first_code') }}
        union distinct
        select commit_sha from commits
        where is_unrelated_root
    ) as brought
    left join decisions on brought.commit_sha = decisions.commit_sha
    where decisions.commit_sha is null or decisions.is_excluded
),

deleted as (
    select distinct
        commit_sha,
        path
    from {{ ref('stg_git__file_changes') }}
    where status = 'D'
),

dead as (
    select
        deaths.*,
        deaths.is_foreign or (imports.commit_sha is not null and deleted.path is not null) as is_of_others
    from deaths
    left join imports on deaths.birth_sha = imports.commit_sha
    left join deleted on deaths.remover_sha = deleted.commit_sha and deaths.path = deleted.path
),

renames as (
    select distinct
        delivery_sha,
        repository_id,
        path,
        previous_path
    from {{ ref('int_points__delivered_lines') }}
    where previous_path is not null
),

delivered as (
    select
        commit_sha,
        path,
        {{ chosen('lines', 'line', "line.class = 'substituted'") }} as substituted_lines
    from {{ ref('int_points__delivered_lines') }}
),

substituted as (
    select
        commit_sha,
        path,
        cast(sum({{ total_of(mapped('substituted_lines', 'line', 'line.lines')) }}) as bigint) as lines,
        cast(sum({{ total_of(mapped(
            chosen('substituted_lines', 'line', 'line.in_test'), 'line', 'line.lines'
        )) }}) as bigint) as test_lines
    from delivered
    where {{ size_of('substituted_lines') }} > 0
    group by commit_sha, path
),

-- Not filtered by eligible lines, which would then be counted twice.
removed as (
    select
        repository_id,
        delivery_sha,
        remover_sha,
        path,
        max(case when eligible_lines > 0 then language end) as language,
        max(case when eligible_lines > 0 then role end) as role,
        cast(sum(case when is_of_others then 0 else eligible_lines end) as bigint) as lines,
        cast(sum(case when is_of_others then 0 else eligible_test_lines end) as bigint) as test_lines,
        cast(sum(case when is_of_others then eligible_lines else 0 end) as bigint) as foreign_lines,
        cast(sum(case when is_of_others then eligible_test_lines else 0 end) as bigint) as foreign_test_lines
    from dead
    group by repository_id, delivery_sha, remover_sha, path
),

gone as (
    select
        removed.*,
        removed.lines - coalesce(restored.lines, 0) as gone_lines,
        greatest(removed.test_lines - coalesce(restored.test_lines, 0), 0) as gone_test_lines
    from removed
    left join restored on removed.remover_sha = restored.remover_sha and removed.path = restored.path
    where removed.lines > 0
),

located as (
    select
        gone.repository_id,
        gone.delivery_sha,
        gone.remover_sha as commit_sha,
        coalesce(renames.path, gone.path) as path,
        max(gone.language) as language,
        max(gone.role) as role,
        cast(sum(gone.gone_lines) as bigint) as lines,
        cast(sum(least(gone.gone_test_lines, gone.gone_lines)) as bigint) as test_lines,
        cast(sum(gone.foreign_lines) as bigint) as foreign_lines,
        cast(sum(gone.foreign_test_lines) as bigint) as foreign_test_lines
    from gone
    left join renames
        on
            gone.repository_id = renames.repository_id
            and gone.delivery_sha = renames.delivery_sha
            and gone.path = renames.previous_path
    where gone.gone_lines > 0
    group by
        gone.repository_id, gone.delivery_sha, gone.remover_sha, coalesce(renames.path, gone.path)
),

replaced as (
    select
        located.*,
        greatest(coalesce(substituted.lines, 0) - located.foreign_lines, 0) as replaced_lines,
        greatest(coalesce(substituted.test_lines, 0) - located.foreign_test_lines, 0) as replaced_test_lines
    from located
    left join substituted on located.commit_sha = substituted.commit_sha and located.path = substituted.path
),

unreplaced as (
    select
        repository_id,
        delivery_sha,
        commit_sha,
        path,
        language,
        role,
        lines - replaced_lines as lines,
        least(greatest(test_lines - replaced_test_lines, 0), lines - replaced_lines) as test_lines
    from replaced
    where lines > replaced_lines
),

-- The window contains all rows of the same instant, so later rows of that instant are subtracted.
windows as (
    select
        unreplaced.*,
        sum(unreplaced.lines) over (
            partition by commits.developer_id, unreplaced.repository_id, unreplaced.path
            order by commits.delivered_micros
            range between {{ window_micros() }} preceding and current row
        ) as window_lines,
        sum(unreplaced.lines) over (
            partition by commits.developer_id, unreplaced.repository_id, unreplaced.path, commits.delivered_micros
            order by commits.delivery_number desc, commits.commit_number desc
            rows between unbounded preceding and current row
        ) as own_and_later_lines
    from unreplaced
    inner join commits on unreplaced.commit_sha = commits.commit_sha
),

-- The part of the developer's ten lines that is left.
decided as (
    select
        repository_id,
        delivery_sha,
        commit_sha,
        path,
        language,
        role,
        lines,
        test_lines,
        least(
            lines,
            greatest(0, {{ var('removal_full_lines_per_file') }} - (window_lines - own_and_later_lines))
        ) as full_lines
    from windows
),

files as (
    select
        repository_id,
        delivery_sha,
        path,
        count(*) as commits,
        least(cast(sum(full_lines) as bigint), {{ var('removal_full_lines_per_file') }}) as full_lines
    from decided
    group by repository_id, delivery_sha, path
),

limited as (
    select
        repository_id,
        delivery_sha,
        path,
        commits,
        greatest(0, least(
            full_lines,
            {{ var('removal_full_lines_per_delivery') }} - coalesce(sum(full_lines) over (
                partition by repository_id, delivery_sha
                order by path
                rows between unbounded preceding and 1 preceding
            ), 0)
        )) as full_lines
    from files
),

bounded as (
    select
        decided.*,
        limited.commits,
        limited.full_lines as full_lines_of_file
    from decided
    inner join limited
        on
            decided.repository_id = limited.repository_id
            and decided.delivery_sha = limited.delivery_sha
            and decided.path = limited.path
),

shared as (
    select
        commit_sha,
        path,
        language,
        role,
        lines,
        test_lines,
        least(full_lines, full_lines_of_file) as full_lines
    from bounded
    where commits = 1
    union all
    select
        commit_sha,
        path,
        language,
        role,
        lines,
        test_lines,
        greatest(0, least(
            full_lines,
            full_lines_of_file - coalesce(sum(full_lines) over (
                partition by repository_id, delivery_sha, path
                order by commit_sha
                rows between unbounded preceding and 1 preceding
            ), 0)
        )) as full_lines
    from bounded
    where commits > 1
),

-- Lines outside tests have the full weight first.
placed as (
    select
        *,
        least(full_lines, lines - test_lines) as full_source_lines
    from shared
),

weights as (
    select * from {{ ref('int_points__weights') }}
),

{% set full_weight = var('removal_weight_micro') -%}
{% set rest_weight = var('removal_rest_weight_micro') -%}
weighed as (
    select
        placed.*,
        placed.full_lines - placed.full_source_lines as full_test_lines,
        {{ weight_with_tests(full_weight, 'true', 'weights') }} as test_weight_micro,
        {{ weight_with_tests(rest_weight, 'true', 'weights') }} as test_rest_weight_micro
    from placed
    cross join weights
)

select
    commit_sha,
    path,
    language,
    role,
    cast(full_lines as bigint) as full_lines,
    cast(lines - full_lines as bigint) as rest_lines,
    cast(full_test_lines as bigint) as full_test_lines,
    cast(test_lines - full_test_lines as bigint) as rest_test_lines,
    cast(test_weight_micro as bigint) as test_weight_micro,
    cast(test_rest_weight_micro as bigint) as test_rest_weight_micro,
    cast(
        (full_lines - full_test_lines) * {{ full_weight }}
        + (lines - full_lines - test_lines + full_test_lines) * {{ rest_weight }}
        + full_test_lines * test_weight_micro
        + (test_lines - full_test_lines) * test_rest_weight_micro as bigint
    ) as points_micro
from weighed
