-- Lines that a commit brought in new files, how much of them its author worked on afterwards, and what else the
-- commit changed.

with changes as (
    select * from {{ ref('stg_git__file_changes') }}
),

lines as (
    select * from {{ ref('stg_git__delivered_lines') }}
),

origins as (
    select * from {{ ref('int_files__origins') }}
),

roles as (
    select * from {{ ref('role_factors') }}
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

copies as (
    select * from {{ ref('int_exclusions__copied_commits') }}
),

first_code as (
    select * from {{ ref('int_exclusions__first_code') }}
),

-- Files that are of others by a sign or by their lines, whatever else came with them.
known_files as (
    select
        commit_sha,
        original_path
    from {{ ref('int_exclusions__foreign_arrivals') }}
    union distinct
    select
        commit_sha,
        original_path
    from {{ ref('int_exclusions__published_files') }}
),

-- Git's subtree command names the commit of the other repository from which it took the files.
subtrees as (
    select distinct commit_sha
    from {{ ref('stg_git__commits') }}
    where
        {{ contains_and_matches(
            'body', "'git-subtree-split'", pattern_text('(?:^|\\n)git-subtree-split: [0-9a-f]{7,64}')
        ) }}
),

-- The work of months came from an older system for versions in one commit, and the subject says so.
moved as (
    select distinct commit_sha
    from {{ ref('stg_git__commits') }}
    where
        {{ contains_and_matches(
            'lower(subject)', "' from '", pattern_text(var('import_moved_subjects'))
        ) }}
),

-- A host's squash lists the subjects of a branch (`* …` between empty lines), Git's own their authors.
listed as (
    select
        commit_sha,
        case
            when position('Squashed commit of the following:' in concat(subject, body)) > 0
                then {{ occurrences('body', "concat(chr(10), 'Author: ')") }}
            when {{ matches('subject', pattern_text(var('squash_subject'))) }}
                then {{ occurrences('concat(chr(10), chr(10), body)', "concat(chr(10), chr(10), '* ')") }}
            else 0
        end as commits
    from {{ ref('stg_git__commits') }}
),

-- What was delivered of each commit, with the credit of its lines.
delivered as (
    select
        lines.credited_sha as commit_sha,
        lines.path,
        max(lines.status) as status,
        max(lines.role) as role,
        bool_or({{ is_worthless_file('lines') }}) as is_worthless,
        sum({{ total_of(mapped(chosen('lines.lines', 'line', "line.class = 'novel'"), 'line', 'line.lines')) }}) as novel_lines,
        sum({{ total_of(mapped(chosen('lines.lines', 'line', "line.class in ('moved', 'layout')"), 'line', 'line.lines')) }})
            as kept_lines
    from lines
    inner join commits on lines.credited_sha = commits.commit_sha and lines.repository_id = commits.repository_id
    group by lines.credited_sha, lines.path
),

own_changes as (
    select
        changes.commit_sha,
        changes.path,
        changes.status,
        changes.role,
        changes.lines_added,
        changes.lines_deleted,
        {{ is_worthless_file('changes') }} as is_worthless
    from changes
    inner join commits on changes.commit_sha = commits.commit_sha and changes.repository_id = commits.repository_id
),

-- Removed lines are left out: whether they count depends on what was imported.
files as (
    select
        coalesce(delivered.commit_sha, own_changes.commit_sha) as commit_sha,
        coalesce(delivered.path, own_changes.path) as path,
        coalesce(own_changes.status, delivered.status) as commit_status,
        coalesce(delivered.role, own_changes.role) as role,
        coalesce(delivered.is_worthless, own_changes.is_worthless) as is_worthless,
        coalesce(own_changes.lines_added, 0) as lines_added,
        coalesce(own_changes.lines_deleted, 0) as lines_deleted,
        coalesce(delivered.novel_lines, 0) as novel_lines,
        coalesce(delivered.kept_lines, 0) as kept_lines
    from own_changes
    full outer join delivered on own_changes.commit_sha = delivered.commit_sha and own_changes.path = delivered.path
),

-- The removal of a whole file is no rework.
changed as (
    select
        files.commit_sha,
        commits.repository_id,
        files.path,
        coalesce(origins.original_path, files.path) as original_path,
        commits.developer_id,
        commits.authored_micros,
        files.commit_status = 'A' as is_new,
        coalesce(nullif({{ first_match('files.path', pattern_text('^[^/]+/[^/]+/')) }}, ''), nullif({{ first_match('files.path', pattern_text('^[^/]+/')) }}, ''), '/') as place,
        files.commit_status = 'A' and known_files.commit_sha is not null as is_known,
        files.role,
        roles.factor_micro,
        files.novel_lines,
        greatest(files.lines_added, files.novel_lines) as file_lines,
        case when files.commit_status = 'A' then 0 else greatest(0, files.lines_deleted - files.kept_lines) end as gone_lines
    from files
    inner join roles on files.role = roles.role
    inner join commits on files.commit_sha = commits.commit_sha
    left join origins
        on
            commits.repository_id = origins.repository_id
            and files.path = origins.path
            and commits.delivery_number >= origins.from_delivery
            and commits.delivery_number < origins.before_delivery
    left join known_files
        on files.commit_sha = known_files.commit_sha and coalesce(origins.original_path, files.path) = known_files.original_path
    where roles.factor_micro > 0 and files.commit_status <> 'D' and not files.is_worthless
),

-- New files of which the same developer changed enough lines afterwards, wherever they were moved meanwhile.
reworked as (
    select
        arrived.commit_sha,
        arrived.path
    from changed as arrived
    inner join changed as later
        on
            arrived.repository_id = later.repository_id
            and arrived.original_path = later.original_path
            and arrived.developer_id = later.developer_id
            and later.authored_micros >= arrived.authored_micros + {{ var('import_rework_after_hours') * 3600000000 }}
            and later.authored_micros <= arrived.authored_micros + {{ window_micros() }}
    where arrived.is_new and arrived.novel_lines > 0
    group by arrived.commit_sha, arrived.path, arrived.file_lines
    having
        sum(later.novel_lines + later.gone_lines) * 1000000
        >= arrived.file_lines * {{ var('import_rework_file_share_micro') }}
),

-- Where nearly all that arrived is known to be of others, the rest shows whether an import is among it.
known_arrivals as (
    select commit_sha
    from changed
    where is_new
    group by commit_sha
    having
        {{ wide('sum(case when is_known then novel_lines * factor_micro else 0 end)') }} * 1000000
        >= {{ wide('sum(novel_lines * factor_micro)') }} * {{ var('import_known_micro') }}
        and sum(case when is_known then 0 else novel_lines * factor_micro end) <= {{ lines_micro('import_rest_lines') }}
        and bool_or(is_known)
),

masses as (
    select
        changed.commit_sha,
        sum(case when changed.is_new and changed.novel_lines > 0 then 1 else 0 end) as new_files,
        sum(changed.novel_lines * changed.factor_micro) as novel_micro,
        sum(case when changed.is_new then changed.novel_lines * changed.factor_micro else 0 end) as arrived_micro,
        sum(
            case when reworked.path is not null then changed.novel_lines * changed.factor_micro else 0 end
        ) as reworked_micro,
        sum(
            case when changed.is_new then 0 else (changed.novel_lines + changed.gone_lines) * changed.factor_micro end
        ) as worked_micro
    from changed
    left join reworked on changed.commit_sha = reworked.commit_sha and changed.path = reworked.path
    left join known_arrivals on changed.commit_sha = known_arrivals.commit_sha
    where not changed.is_known or known_arrivals.commit_sha is null
    group by changed.commit_sha
),

-- The work of many commits at a pace that people keep did not arrive at once.
branches as (
    select masses.commit_sha
    from masses
    inner join listed on masses.commit_sha = listed.commit_sha
    where
        listed.commits >= {{ var('import_listed_commits') }}
        and masses.novel_micro <= listed.commits * {{ lines_micro('import_listed_lines') }}
),

-- Folders of two levels in which something arrived, of commits that brought much.
filled as (
    select
        changed.commit_sha,
        changed.place,
        sum(changed.novel_lines * changed.factor_micro) as arrived_micro
    from changed
    inner join masses on changed.commit_sha = masses.commit_sha
    where changed.is_new and masses.arrived_micro > {{ lines_micro('import_hour_files_lines') }}
    group by changed.commit_sha, changed.place
),

-- Files that went from there in the same commit.
removed as (
    select
        commits.repository_id,
        own_changes.commit_sha,
        own_changes.path,
        filled.place,
        filled.arrived_micro,
        own_changes.lines_deleted * roles.factor_micro as gone_micro
    from own_changes
    inner join commits on own_changes.commit_sha = commits.commit_sha
    inner join roles on own_changes.role = roles.role
    inner join filled
        on
            own_changes.commit_sha = filled.commit_sha
            and coalesce(nullif({{ first_match('own_changes.path', pattern_text('^[^/]+/[^/]+/')) }}, ''), nullif({{ first_match('own_changes.path', pattern_text('^[^/]+/')) }}, ''), '/') = filled.place
    where own_changes.status = 'D' and not own_changes.is_worthless
),

removals as (
    select
        commit_sha,
        place,
        max(arrived_micro) as arrived_micro,
        sum(gone_micro) as gone_micro
    from removed
    group by commit_sha, place
),

-- Many commits wrote what went. A library has had few versions.
removed_work as (
    select
        removed.commit_sha,
        removed.place,
        count(distinct changes.commit_sha) as commits
    from removed
    inner join changes
        on
            removed.repository_id = changes.repository_id
            and removed.path = changes.path
            and removed.commit_sha <> changes.commit_sha
    group by removed.commit_sha, removed.place
),

-- Folders that somebody wrote anew, where the older form went.
renewed as (
    select
        removals.commit_sha,
        sum(removals.arrived_micro) as arrived_micro
    from removals
    inner join removed_work on removals.commit_sha = removed_work.commit_sha and removals.place = removed_work.place
    where
        {{ wide('removals.gone_micro') }} * 1000000
        >= {{ wide('removals.arrived_micro') }} * {{ var('import_reworked_share_micro') }}
        and removed_work.commits >= {{ var('import_rewritten_commits') }}
    group by removals.commit_sha
),

-- Half of what arrived has to be such folders. The rest of a rewrite came with them.
rewrites as (
    select masses.commit_sha
    from masses
    inner join renewed on masses.commit_sha = renewed.commit_sha
    where renewed.arrived_micro * 2 >= masses.arrived_micro
),

-- Files on which people had worked, of commits that brought much and changed even more.
developed_files as (
    select
        changed.commit_sha,
        changed.path,
        max(masses.arrived_micro) as arrived_micro,
        max((changed.novel_lines + changed.gone_lines) * changed.factor_micro) as worked_micro
    from changed
    inner join masses on changed.commit_sha = masses.commit_sha
    inner join changes
        on
            changed.repository_id = changes.repository_id
            and changed.path = changes.path
            and changed.commit_sha <> changes.commit_sha
    where
        not changed.is_new
        and masses.arrived_micro > {{ lines_micro('import_hour_files_lines') }}
        and masses.worked_micro >= masses.arrived_micro
    group by changed.commit_sha, changed.path
    having count(distinct changes.commit_sha) >= {{ var('import_developed_commits') }}
),

-- A commit that changes more in such files than it brings in new ones develops the project.
developments as (
    select commit_sha
    from developed_files
    group by commit_sha
    having sum(worked_micro) >= max(arrived_micro)
),

written as (
    select commit_sha from branches
    union distinct
    select commit_sha from rewrites
    union distinct
    select commit_sha from developments
)

select
    commits.commit_sha,
    commits.repository_id,
    commits.delivery_sha,
    commits.developer_id,
    repositories.is_excluded,
    repositories.is_sandbox,
    commits.authored_micros,
    commits.delivered_micros,
    commits.is_unrelated_root,
    first_code.commit_sha is not null as is_first_commit,
    subtrees.commit_sha is not null
    or (moved.commit_sha is not null and coalesce(masses.novel_micro > {{ lines_micro('import_hour_files_lines') }}, false)) as is_subtree,
    {% for mass in ['new_files', 'novel_micro', 'arrived_micro', 'reworked_micro'] -%}
    cast(case when written.commit_sha is null then coalesce(masses.{{ mass }}, 0) else 0 end as bigint) as {{ mass }},
    {% endfor -%}
    cast(coalesce(masses.worked_micro, 0) as bigint) as worked_micro
from commits
inner join repositories on commits.repository_id = repositories.repository_id
left join masses on commits.commit_sha = masses.commit_sha
left join written on commits.commit_sha = written.commit_sha
left join subtrees on commits.commit_sha = subtrees.commit_sha
left join moved on commits.commit_sha = moved.commit_sha
left join copies on commits.commit_sha = copies.commit_sha
left join first_code on commits.commit_sha = first_code.commit_sha and commits.repository_id = first_code.repository_id
where
    not commits.is_bot
    and not commits.is_upstream
    and copies.commit_sha is null
    and (
        masses.commit_sha is not null
        or commits.is_unrelated_root
        or subtrees.commit_sha is not null
        or first_code.commit_sha is not null
    )
