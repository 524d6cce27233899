-- Reasons for no ETV, and totals by day.
create table api_v1__zero_reasons as
select
    zero_reason, position, level, zero_reason as title, 'Why.' as description, 100000::bigint as warning_share_micro,
    '$version' as calculation_version
from (values ('MERGE', 1::bigint, 'file'), ('GENERATED', 2::bigint, 'file')) as reasons(zero_reason, position, level);

-- A fifth of the commits has generated lines too.
create table api_v1__zero_reason_commits as
select
    commit_id, commit_sha, 'GENERATED' as zero_reason, repository_id, repository_name, team_id, developer_id,
    false as is_sandbox, delivered_on, author_name, subject, 1::bigint as files, lines_deleted as lines_added,
    'https://github.com/' || repository_name || '/commit/' || commit_sha as commit_url
from api_v1__commits where is_counted and lines_added % 5 = 0 and lines_deleted > 0;

create table api_v1__zero_reason_days as
select
    delivered_on, repository_id, team_id, developer_id, false as is_bot, false as is_sandbox, zero_reason,
    sum(commits)::bigint as commits, sum(files)::bigint as files, sum(lines_added)::bigint as lines_added
from (
    select delivered_on, repository_id, team_id, developer_id, zero_reason, 1 as commits, files_changed as files,
        if(is_merge, 0, lines_added) as lines_added
    from api_v1__commits where delivered_on is not null
    union all
    select delivered_on, repository_id, team_id, developer_id, zero_reason, 0, files, lines_added
    from api_v1__zero_reason_commits
)
group by all;

create table api_v1__daily as
with files as (
    select
        cast(delivered_at as date) as delivered_on, repository, developer, f.category, f.etv_micro, f.effort_micro,
        f.points_micro, s.is_ai_assisted, s.novel + s.comments + s.layout as added, s.removed,
        s.f = 0 as is_first, s.team_id
    from seed_files as s join api_v1__commit_files as f using (commit_id, path)
    where s.is_delivered
)
select
    delivered_on, uuid_of('repository', repository) as repository_id, uuid_of('developer', developer) as developer_id,
    team_id, category, false as is_bot, repository % 50 = 49 as is_sandbox,
    sum(etv_micro)::bigint as etv_micro, sum(effort_micro)::bigint as effort_micro,
    sum(points_micro)::bigint as points_micro, 0::bigint as taken_back_points_micro,
    coalesce(sum(etv_micro) filter (is_ai_assisted), 0)::bigint as ai_etv_micro,
    0::bigint as aligned_etv_micro, 0::bigint as roadmap_etv_micro,
    count(*) filter (is_first) as commits, count(*) filter (is_first and is_ai_assisted) as ai_commits,
    count(*) as files, sum(added)::bigint as lines_added, sum(removed)::bigint as lines_deleted
from files group by all;

create table api_v1__team_daily as
select daily.* replace (lines.ancestor_id as team_id)
from api_v1__daily as daily join seed_lines as lines using (team_id);
