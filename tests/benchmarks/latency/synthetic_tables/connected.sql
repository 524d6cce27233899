-- Objectives, issues and pull requests. Issue and pull request number n have the author of commit number n.
-- Of 100 issues each, five in an objective. Ten objectives of 500 issues at a time last for a quarter of a year.
create macro quarters() as $days // 91 + 1;
create macro parts_of_quarter() as greatest($issues // 100 // quarters(), 1);

create table seed_items as
select
    n, uuid_of('issue', n) as issue_id, 'WEB-' || n as key, uuid_of('part', part) as part_id,
    uuid_of('objective', part // 5) as goal_id, commit_id, commit_sha, repository, developer, is_delivered, authored_at,
    uuid_of('team', team_of(developer, authored_at::date)) as team_id,
    ['todo', 'in_progress', 'done', 'done', 'canceled'][1 + roll(n, 201, 5)] as status_category,
    roll(n, 202, 20000000) as etv
from (
    select *, date_diff('day', authored_at, timestamptz '$as_of 00:00:00+00') // 91 * parts_of_quarter()
        + n % parts_of_quarter() as part
    from range($issues) as t (n) join seed_commits as c using (n)
);

insert into api_v1__issues by name
select
    issue_id, uuid_of('connection', 1) as connection_id, 'Plans' as connection_name, 'LINEAR' as connection_kind, key,
    n as number, ['Bug', 'Story', 'Task'][1 + roll(n, 203, 3)] as type_name, roll(n, 203, 3) = 0 as is_bug,
    'Issue number ' || n || ' of ' || md5(key)[1:12] as title, status_category as status, status_category,
    part_id as parent_id, part_id as sub_objective_id, goal_id as objective_id, 'WEB' as tracker_team_key,
    'Web' as tracker_team_name, if(n % 3 = 0, team_id, null) as team_id, 'Developer ' || developer as assignee,
    'Developer ' || developer as assignee_name, authored_at - interval 9 days as created_at, authored_at as updated_at,
    authored_at - interval 3 days as started_at, if(status_category = 'done', authored_at, null) as completed_at,
    ['web', 'size: small'] as labels,
    [{'field': 'status', 'at': authored_at, 'before': 'Todo', 'after': 'Done', 'after_category': 'done', 'actor': 'ann'}]
        as history,
    'https://plans.example/' || key as url, etv as etv_micro, if(n % 50 = 0, 3000000, null)::bigint as ai_cost_micro, 1 as commits,
    authored_at::date as first_delivered_on,
    authored_at::date as last_delivered_on, '$version' as calculation_version
from seed_items;

insert into api_v1__commit_issues by name
select
    commit_id, commit_sha, uuid_of('repository', repository) as repository_id,
    uuid_of('developer', developer) as developer_id, team_id, authored_at + interval 2 hours as delivered_at,
    (authored_at + interval 2 hours)::date as delivered_on, false as is_bot, false as is_sandbox, true as is_counted,
    issue_id as item_id, key as item_key, 'Issue number ' || n as item_title, 'Story' as item_type_name,
    status_category as item_status_category, 'https://plans.example/' || key as item_url, 'issue' as level,
    'message' as found_in, 1 as place, 1 as issue_count, part_id as sub_objective_id, 'Part' as sub_objective_title,
    goal_id as objective_id, 'Goal' as objective_title, etv as etv_micro, '$version' as calculation_version
from seed_items where is_delivered;

insert into api_v1__objective_days by name
select
    goal.objective_id, delivered_on, repository_id, developer_id, team_id, false as is_bot, false as is_sandbox,
    sum(etv_micro) as etv_micro, count(*) as commits
from api_v1__commit_issues, unnest([objective_id, sub_objective_id]) as goal (objective_id)
group by all;

insert into api_v1__objectives by name
with goals as (
    select goal_id as objective_id, 'objective' as level, cast(null as varchar) as parent_id, 0 as depth, * from seed_items
    union all
    select part_id as objective_id, 'sub_objective' as level, goal_id as parent_id, 1 as depth, * from seed_items
)
select
    objective_id, level, parent_id, depth, uuid_of('connection', 1) as connection_id, 'Plans' as connection_name,
    'LINEAR' as connection_kind, 'Objective ' || objective_id[1:8] as title, 'Started' as status,
    'in_progress' as status_category, min(n) % 7 = 0 as is_overdue,
    date '$as_of' + cast(min(n) % 400 - 200 as integer) as target_on, min(authored_at) as created_at,
    'ann' as owner, 'Ann' as owner_name, if(min(n) % 2 = 0, min(team_id), null) as team_id, 5 as child_count,
    count(*) as issue_count, count(*) filter (status_category = 'done') as done_issue_count,
    count(*) filter (status_category = 'canceled') as canceled_issue_count, sum(etv) as etv_micro, count(*) as commits,
    count(distinct developer) as contributor_count, min(authored_at)::date as first_delivered_on,
    max(authored_at)::date as last_delivered_on, '$version' as calculation_version
from goals group by objective_id, level, parent_id, depth;

create table seed_pulls as
select
    n, uuid_of('pull', n) as pull_request_id, c.commit_id, c.commit_sha, c.repository, c.developer, c.authored_at,
    uuid_of('repository', c.repository) as repository_id, uuid_of('developer', c.developer) as developer_id,
    uuid_of('team', team_of(c.developer, c.authored_at::date)) as team_id,
    ['merged', 'merged', 'merged', 'merged', 'open', 'closed'][1 + roll(n, 210, 6)] as state,
    1000000 * (1 + roll(n, 211, 300)) as cycle, roll(n, 212, $developers) as reviewer
from range($pull_requests) as t (n) join seed_commits as c using (n);

insert into api_v1__pull_requests by name
select
    pull_request_id, repository_id, n as number, 'Pull request ' || n || ' of ' || md5(cast(n as varchar))[1:12] as title,
    state, false as is_draft, 'developer' || developer as author, developer_id, team_id, false as is_bot,
    false as is_sandbox, authored_at as created_at, authored_at::date as created_on, authored_at as ready_at,
    if(state = 'open', authored_at, null) as waiting_since,
    authored_at + interval 5 hours as first_review_at, authored_at + interval 7 hours as approved_at,
    if(state = 'merged', authored_at + interval 9 hours, null) as merged_at,
    if(state = 'merged', (authored_at + interval 9 hours)::date, null) as merged_on, 'topic-' || n as source_branch,
    'main' as target_branch, 'https://git.example/pulls/' || n as url, ['size: small'] as labels, ['grace'] as requested_reviewers,
    if(state = 'open', ['grace'], []) as awaited_reviewers,
    [md5('a' || n), md5('b' || n)] as source_shas, 'squash' as merged_by_way,
    2 as source_commit_count, 1 as delivered_commit_count, 40 as lines_added, 20 as lines_deleted, 3 as comment_count,
    roll(n, 213, 20000000) as etv_micro, 1 as reviewer_count, 1 as review_count, 0 as commits_after_review,
    0 as rework_share_micro, roll(n, 214, 4) = 0 as is_ai_assisted, cast([] as varchar[]) as ai_tools,
    if(n % 50 = 0, 4000000, null)::bigint as ai_cost_micro, if(n % 50 = 0, 600000, null) as ai_cost_confidence_micro,
    ['WEB-' || n] as issue_keys, ['WEB-' || n] as referenced_keys, cycle as cycle_hours_micro,
    cycle // 3 as cycle_working_hours_micro, cycle as open_hours_micro, cycle // 3 as open_working_hours_micro,
    cycle // 5 as pickup_hours_micro, cycle // 9 as pickup_working_hours_micro, cycle // 4 as review_hours_micro,
    cycle // 8 as review_working_hours_micro, cycle // 2 as approval_hours_micro, cycle // 6 as approval_working_hours_micro,
    cycle // 9 as merge_hours_micro, cycle // 20 as merge_working_hours_micro,
    'acme/repository-' || repository as repository_name, 'Developer ' || developer as developer_name,
    '$version' as calculation_version
from seed_pulls;

insert into api_v1__pull_request_times by name
select
    pull_request_id, team_id, developer_id, measure, 'created' as started_by, authored_at as started_at,
    'merged' as ended_by, authored_at + interval 9 hours as ended_at, cycle as hours_micro, cycle // 3 as working_hours_micro,
    0 as closed_hours_micro
from seed_pulls, unnest(['cycle', 'open', 'pickup', 'review', 'approval', 'merge']) as measures (measure);

insert into api_v1__pull_request_commits by name
select pull_request_id, commit_id, commit_sha, 'squash' as how, 1000000 as etv_micro from seed_pulls where state = 'merged';

insert into api_v1__pull_request_issues by name
select
    pull_request_id, seed_pulls.team_id, developer_id, issue_id as item_id, key as item_key, 'Issue' as item_title,
    'Story' as item_type_name, status_category as item_status_category, 'issue' as level, 'title' as found_in,
    part_id as sub_objective_id, goal_id as objective_id
from seed_pulls join seed_items using (n);

insert into api_v1__reviews by name
select
    pull_request_id, repository_id, 'developer' || reviewer as reviewer, uuid_of('developer', reviewer) as developer_id,
    uuid_of('team', team_of(reviewer, authored_at::date)) as team_id, false as is_bot, false as is_sandbox,
    (authored_at + interval 5 hours)::date as reviewed_on, 1 as answers, 1 as approvals, 0 as change_requests,
    1 as reviews, 2 as comments, cycle // 5 as response_hours_micro, 'Developer ' || reviewer as developer_name
from seed_pulls;

drop table seed_items;
drop table seed_pulls;

-- Every sixth pull request is open, and a tenth of the others was for too long.
create table api_v1__check_occurrences as
select
    uuid_of('check', n) as occurrence_id, 'open_too_long' as kind, 'pull_request' as subject_type,
    pull_request_id as subject_id, title as subject_title, '#' || number as subject_reference, url, repository_id,
    repository_name, developer_id, developer_name, team_id, 1::bigint as episode_count, created_at as first_opened_at,
    created_at as opened_at, closed_at as ended_at, if(closed_at is null, null, state) as ended_by,
    30000000::bigint as measured_micro, 5000000::bigint as threshold_micro, number % 7 = 0 as is_critical,
    '$version' as calculation_version
from (select *, number as n from api_v1__pull_requests where state = 'open' or number % 10 = 0);

create table api_v1__check_stretches as
select
    'open_too_long' as kind, 'pull_request' as subject_type, pull_request_id as subject_id, repository_id, developer_id,
    team_id, created_at as started_at, coalesce(merged_at, closed_at) as ended_at, if(ended_at is null, null, state) as ended_by,
    null::bigint as value_micro, 28800000000 * (created_on - date '2020-01-01') as worked_at_start,
    28800000000 * (coalesce(ended_at::date, date '$as_of') - date '2020-01-01') as worked_at_end,
    if(number % 2 = 0, 40000000, null)::bigint as usual_micro, cast(null as varchar) as subject_title
from api_v1__pull_requests;

create table api_v1__check_episodes as
select
    occurrence_id, 1::bigint as number, developer_id, team_id, opened_at, ended_at, ended_by, measured_micro, threshold_micro,
    is_critical
from api_v1__check_occurrences;
