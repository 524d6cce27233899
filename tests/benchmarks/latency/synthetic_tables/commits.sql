-- Commits with their files, credits, AI evidence and origins.
create table api_v1__commit_files as
with points as (
    select
        *,
        novel * 2000000 + comments * 50000 as line_points,
        least(removed, 10) * 1000000 as removed_points,
        if(category = 'tests', 250000, 1000000) as role_factor,
        if(category = 'fixes', 1000000 + roll(n, 140, 1000) * 1000, 1000000) as multiplier
    from seed_files
),
scored as (
    select *, (line_points + 2000000 + removed_points) * role_factor // 1000000 as points from points
)
select
    commit_id, uuid_of('repository', repository) as repository_id,
    if(is_delivered, md5('delivery' || n)[1:32] || '00000000', '') as delivery_sha,
    path, cast(null as varchar) as previous_path, 'M' as status, 'Python' as language,
    if(category = 'tests', 'test', 'source') as role, cast(null as varchar) as zero_reason,
    category, 'path' as category_method, 0.9::double as category_confidence, 'src/' as category_evidence,
    line_points as line_points_micro, 2000000::bigint as file_bonus_micro, removed_points as removed_points_micro,
    role_factor::bigint as role_factor_micro, points as points_micro, points // 58 as effort_micro,
    multiplier as multiplier_micro, points // 58 * multiplier // 1000000 as etv_micro,
    0::bigint as inline_tests_points_micro, 0::bigint as inline_tests_effort_micro, 0::bigint as inline_tests_etv_micro,
    cast(null as varchar) as machine_evidence,
    cast(null as varchar) as copied_from,
    [
        {'kind': 1, 'lines': novel, 'weight_micro': 2000000::bigint, 'points_micro': novel * 2000000},
        {'kind': 3, 'lines': comments, 'weight_micro': 50000, 'points_micro': comments * 50000},
        {'kind': 2, 'lines': layout, 'weight_micro': 0, 'points_micro': 0},
        {'kind': 8, 'lines': removed, 'weight_micro': 1000000, 'points_micro': removed_points}
    ] as line_classes,
    '$version' as calculation_version
from scored;

create table api_v1__commits as
with sums as (
    select
        commit_id,
        sum(points_micro)::bigint as points, sum(effort_micro)::bigint as effort, sum(etv_micro)::bigint as etv,
        coalesce(sum(etv_micro) filter (category = 'features'), 0)::bigint as features,
        coalesce(sum(etv_micro) filter (category = 'maintenance'), 0)::bigint as maintenance,
        coalesce(sum(etv_micro) filter (category = 'tests'), 0)::bigint as tests,
        coalesce(sum(etv_micro) filter (category = 'documentation'), 0)::bigint as documentation,
        coalesce(sum(etv_micro) filter (category = 'fixes'), 0)::bigint as fixes,
        arg_max(category, etv_micro) as category
    from api_v1__commit_files group by commit_id
)
select
    c.commit_id, c.commit_sha, uuid_of('repository', repository) as repository_id,
    'acme/repository-' || repository as repository_name, uuid_of('developer', developer) as developer_id,
    'Developer ' || developer as developer_name,
    uuid_of('team', team_of(developer, authored_at::date)) as team_id, false as is_bot,
    'Developer ' || developer as author_name,
    'developer' || developer || '@acme.example' as author_email, authored_at, authored_at as committed_at,
    'Change number ' || n || ' of ' || md5(cast(n as varchar))[1:12] as subject, is_merge,
    [md5('parent' || n) || '00000000'] as parent_shas,
    if(is_delivered, md5('delivery' || n)[1:32] || '00000000', null) as delivery_sha,
    if(is_delivered, authored_at + interval 2 hours, null) as delivered_at,
    if(is_delivered, cast(authored_at + interval 2 hours as date), null) as delivered_on,
    cast(null as varchar) as pull_request_id, cast(null as bigint) as pull_request_number,
    is_delivered and not is_merge as is_counted,
    if(is_merge, 'MERGE', if(is_delivered, null, 'NOT_DELIVERED')) as zero_reason,
    cast(null as varchar) as import_burst_id,
    cast(null as varchar) as exclusion_reason, cast(null as varchar) as exclusion_note,
    cast(null as varchar) as duplicate_of_sha, s.category, s.category as category_label,
    'path' as category_method,
    0.9::double as category_confidence,
    if(is_delivered, coalesce(s.points, 0), 0) as points_micro,
    if(is_delivered, coalesce(s.effort, 0), 0) as effort_micro,
    if(is_delivered, coalesce(s.etv, 0), 0) as etv_micro,
    if(is_delivered, coalesce(s.features, 0), 0) as features_etv_micro,
    if(is_delivered, coalesce(s.maintenance, 0), 0) as maintenance_etv_micro,
    if(is_delivered, coalesce(s.tests, 0), 0) as tests_etv_micro,
    if(is_delivered, coalesce(s.documentation, 0), 0) as documentation_etv_micro,
    if(is_delivered, coalesce(s.fixes, 0), 0) as fixes_etv_micro,
    if(is_merge, 0, files) as files_changed, roll(n, 150, 400) as lines_added, roll(n, 151, 200) as lines_deleted,
    is_ai_assisted, if(is_ai_assisted, ['claude_code'], cast([] as varchar[])) as ai_tools,
    if(n % 100 = 0, 3000000, null)::bigint as ai_cost_micro, if(n % 100 = 0, 600000, null) as ai_cost_confidence_micro,
    false as is_aligned, false as reaches_objective, 'NO_TRACKER' as alignment_reason,
    false as is_credit_estimated, false as is_provisional, cast(null as timestamptz) as provisional_until,
    'Change of ' || files || ' files, mostly new lines in src/' as explanation, '$version' as calculation_version
from seed_commits as c left join sums as s using (commit_id);

create table api_v1__line_kinds as
select
    n as kind, class, class as original_class, 4 as tokens, 1 as rank, cast(null as varchar) as note,
    '$version' as calculation_version
from (values (1, 'novel'), (2, 'layout'), (3, 'comment'), (8, 'removed')) as kinds(n, class);

create table api_v1__commit_credits as
select commit_id, developer_id, team_id, 'author' as role, 1000000::bigint as share_micro, etv_micro, effort_micro
from api_v1__commits where is_counted;

create table api_v1__commit_ai_evidence as
select commit_id, 'claude_code' as tool, 'authored' as role, 'co_author_address' as signal,
    'Co-authored-by: noreply' as matched_text, 0.99::double as confidence,
    cast(null as varchar) as pull_request_id
from api_v1__commits where is_ai_assisted;

create table api_v1__commit_origins as
select commit_id, lag(commit_id) over (order by delivered_at, commit_id) as origin_commit_id,
    lag(commit_sha) over (order by delivered_at, commit_id) as origin_sha, 560000 as likelihood_micro,
    30::bigint as age_days, 'REMOVED_LINES' as basis
from api_v1__commits where category = 'fixes' and is_counted
qualify origin_sha is not null;
