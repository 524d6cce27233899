"""A synthetic warehouse with the published tables, computed by arithmetic, for load tests of publishing and reading.

Add: properties that change the size or spread of the data. Keep out: plausible values; no test depends on them.
"""

from datetime import date
from pathlib import Path

import duckdb

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
AS_OF = date(2026, 11, 20)
MOVED_ON = date(2026, 9, 1)
VERSION = "0.1.0"

_STATEMENTS = """
create macro uuid_of(kind, n) as cast(cast(md5(kind || ':' || n) as uuid) as varchar);
create macro roll(n, salt, sides) as cast(hash(n, salt) % sides as bigint);
-- Every fourth developer changed teams once; without teams the remainder is null.
create macro team_of(developer, day) as
    (developer + if(developer % 4 = 0 and day < date '$moved_on', 1, 0)) % $teams;
-- Ten teams at the top, eight below each.
create macro parent_of(team) as if(team < 10, null, (team - 10) // 8);

create table seed_commits as
select
    n,
    uuid_of('commit', n) as commit_id,
    md5('sha' || n) || substr(md5(cast(n as varchar)), 1, 8) as commit_sha,
    -- Squares make some repositories and developers far busier than others; each has one commit at least.
    if(n < $repositories, n, roll(n, 1, 1000) * roll(n, 2, 1000) * $repositories // 1000000) as repository,
    if(n < $developers, n, roll(n, 3, 1000) * roll(n, 4, 1000) * $developers // 1000000) as developer,
    -- Each developer stays for `tenure` days somewhere within the `days`.
    timestamptz '$as_of 00:00:00+00' - to_seconds(roll(n, 5, $tenure * 86400))
        - to_days(cast(roll(developer, 10, $days - $tenure + 1) as integer)) as authored_at,
    roll(n, 6, 20) > 0 as is_delivered,
    roll(n, 7, 50) = 0 as is_merge,
    roll(n, 8, 6) = 0 as is_ai_assisted,
    1 + roll(n, 9, 9) as files
from range($commits) as t (n);

create table seed_lines as
with recursive lines as (
    select n as team, n as ancestor from range($teams) as t (n)
    union all select team, parent_of(ancestor) from lines where parent_of(ancestor) is not null
)
select team, ancestor, uuid_of('team', team) as team_id, uuid_of('team', ancestor) as ancestor_id from lines;

create table seed_files as
select
    c.n, uuid_of('team', team_of(c.developer, c.authored_at::date)) as team_id,
    c.commit_id, c.repository, c.developer, c.is_delivered, f, c.is_merge, c.is_ai_assisted,
    c.authored_at + interval 2 hours as delivered_at,
    'src/' || uuid_of('directory', roll(c.n, 20 + f, 400))[1:8] || '/module_' || f || '.py' as path,
    ['features', 'maintenance', 'tests', 'documentation', 'fixes'][1 + roll(c.n, 40 + f, 5)] as category,
    1 + roll(c.n, 60 + f, 40) as novel,
    roll(c.n, 80 + f, 10) as comments,
    roll(c.n, 100 + f, 5) as layout,
    roll(c.n, 120 + f, 30) as removed
from seed_commits as c, range(c.files) as t (f)
where not c.is_merge;

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
    is_delivered and not is_merge as is_counted,
    if(is_merge, 'MERGE', if(is_delivered, null, 'NOT_DELIVERED')) as zero_reason,
    cast(null as varchar) as import_burst_id,
    cast(null as varchar) as exclusion_reason, cast(null as varchar) as exclusion_note,
    cast(null as varchar) as duplicate_of_sha, s.category, 'path' as category_method,
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
    'Co-authored-by: noreply' as matched_text, 0.99::double as confidence
from api_v1__commits where is_ai_assisted;

create table api_v1__commit_origins as
select commit_id, lag(commit_id) over (order by delivered_at, commit_id) as origin_commit_id,
    lag(commit_sha) over (order by delivered_at, commit_id) as origin_sha, 560000 as likelihood_micro,
    30::bigint as age_days, 'REMOVED_LINES' as basis
from api_v1__commits where category = 'fixes' and is_counted
qualify origin_sha is not null;

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
    count(*) filter (is_first) as commits, count(*) filter (is_first and is_ai_assisted) as ai_commits,
    count(*) as files, sum(added)::bigint as lines_added, sum(removed)::bigint as lines_deleted
from files group by all;

create table api_v1__team_daily as
select daily.* replace (lines.ancestor_id as team_id)
from api_v1__daily as daily join seed_lines as lines using (team_id);

create table api_v1__team_members as
with stretches as (
    select n, date '1970-01-01' as start_on, date '$moved_on' - 1 as end_on from range($developers) as t (n)
    where n % 4 = 0
    union all
    select n, if(n % 4 = 0, date '$moved_on', date '1970-01-01'), date '9999-12-31' from range($developers) as t (n)
)
select uuid_of('developer', n) as developer_id, uuid_of('team', team_of(n, start_on)) as team_id, start_on, end_on,
    '$version' as calculation_version
from stretches where $teams > 0;

create table api_v1__teams as
with present as (
    select lines.ancestor as team, count(*) as people, count(*) filter (lines.team = lines.ancestor) as own
    from api_v1__team_members as members join seed_lines as lines using (team_id)
    where end_on = date '9999-12-31' group by lines.ancestor
),
below as (select ancestor as team, count(*) - 1 as teams from seed_lines group by ancestor),
above as (select team, count(*) - 1 as teams from seed_lines group by team)
select uuid_of('team', team) as team_id, uuid_of('team', parent_of(team)) as parent_id, 'Team ' || team as name,
    above.teams::integer as depth, below.teams as sub_team_count, coalesce(people, 0) as developer_count,
    coalesce(own, 0) as own_developer_count, '$version' as calculation_version
from above join below using (team) left join present using (team);

create table api_v1__developer_identities (
    own_developer_id varchar, developer_id varchar, calculation_version varchar
);

create table api_v1__merge_suggestions (
    suggestion_id varchar, developer_id varchar, developer_name varchar, developer_email varchar,
    other_id varchar, other_name varchar, other_email varchar,
    reasons varchar[], calculation_version varchar
);

create table api_v1__import_bursts (
    burst_id varchar, rule varchar, status varchar, developer_id varchar, developer_name varchar,
    repository_ids varchar[], first_commit_id varchar, first_commit_sha varchar, first_subject varchar,
    started_at timestamptz, ended_at timestamptz, evidence_until timestamptz, commit_count bigint,
    counted_commit_count bigint, file_count bigint, novel_lines bigint, arrived_lines bigint,
    reworked_share_micro bigint, worked_share_micro bigint, calculation_version varchar
);

create table api_v1__repositories as
select
    repository_id, any_value(repository_name) as name, 'https://git.example/' || any_value(repository_name) as origin,
    'main' as default_branch, md5(repository_id) || '00000000' as head_sha,
    cast(regexp_extract(any_value(repository_name), '[0-9]+$') as bigint) % 50 = 49 as is_sandbox,
    false as is_excluded, false as is_disabled, cast([] as varchar[]) as tags,
    false as is_shallow, false as is_partial, count(*) as commit_count,
    count(delivered_at) as delivered_commit_count, count(distinct developer_id) as developer_count,
    0::bigint as skipped_objects, min(delivered_at) as first_delivered_at, max(delivered_at) as last_delivered_at,
    '$version' as calculation_version
from api_v1__commits group by repository_id;

create table api_v1__developers as
select
    developer_id, any_value(developer_name) as name, any_value(author_email) as primary_email, false as is_bot,
    cast(null as varchar) as bot_reason, count(*) as commit_count, count(delivered_at) as delivered_commit_count,
    min(delivered_at) as first_delivered_at, max(delivered_at) as last_delivered_at,
    cast(null as varchar) as kind, 'Engineer' as role, 'SENIOR' as seniority, cast(null as date) as joined_on,
    cast(null as date) as probation_ends_on, cast(null as date) as left_on, cast(null as varchar) as avatar_url,
    any_value(members.team_id) as team_id, any_value(teams.name) as team,
    [{
        'name': any_value(developer_name), 'email': any_value(author_email), 'reason': 'FIRST_USED',
        'commits': count(*), 'address_id': developer_id
    }] as addresses,
    [developer_id] as known_ids,
    cast([] as struct(developer_id varchar, reason varchar)[]) as merge_suggestions,
    '$version' as calculation_version
from api_v1__commits as commits
left join api_v1__team_members as members using (developer_id)
left join api_v1__teams as teams on teams.team_id = members.team_id
where members.end_on is null or members.end_on = date '9999-12-31'
group by developer_id;

create table api_v1__performance as
with entities as (
    select 'organization' as entity_kind, '$organization' as entity_id, delivered_on, etv_micro from api_v1__daily
    where not is_sandbox
    union all select 'repository', repository_id, delivered_on, etv_micro from api_v1__daily
    union all select 'developer', developer_id, delivered_on, etv_micro from api_v1__daily where not is_sandbox
    union all select 'team', team_id, delivered_on, etv_micro from api_v1__team_daily where not is_sandbox
),
days as (
    select entity_kind, entity_id, delivered_on, sum(etv_micro)::bigint as etv from entities group by all
),
-- Every period from the first to the last delivery, as people are employed in those without one too.
periods as (
    select entity_kind, entity_id, period,
        unnest(generate_series(
            date_trunc(period, min(delivered_on)), max(delivered_on)::timestamp,
            case period when 'week' then interval 7 days when 'month' then interval 1 month
                when 'quarter' then interval 3 months else interval 1 year end
        ))::date as period_start
    from days, unnest(['week', 'month', 'quarter', 'year']) as t (period) group by entity_kind, entity_id, period
),
totals as (
    select entity_kind, entity_id, period, date_trunc(period, delivered_on)::date as period_start,
        sum(etv)::bigint as delivered
    from days, unnest(['week', 'month', 'quarter', 'year']) as t (period) group by all
),
measured as (
    select periods.*, coalesce(delivered, 0)::bigint as etv
    from periods left join totals using (entity_kind, entity_id, period, period_start)
)
select
    entity_kind, entity_id, period, period_start,
    (period_start + case period when 'week' then interval 7 days when 'month' then interval 1 month
        when 'quarter' then interval 3 months else interval 1 year end - interval 1 day)::date as period_end,
    period_end >= date '$as_of' as is_draft, etv as etv_micro, 1.0::double as developer_weeks,
    20000000::bigint as reference_etv_per_week_micro, 5000.0::double as reference_developer_weeks,
    if(etv > 0, 100.0 * (etv / 20000000) / (1 + etv / 20000000), null) as performance,
    '$version' as calculation_version
from measured;

create table api_v1__movements as
select
    entity_kind, entity_id, period, period_start, period_end, is_draft, etv_micro,
    coalesce(lag(etv_micro) over (partition by entity_kind, entity_id, period order by period_start), 0)
        as previous_etv_micro,
    etv_micro - previous_etv_micro as changes_micro, 0::bigint as mix_micro, 0::bigint as size_micro,
    0::bigint as rework_micro, 0::bigint as value_micro, '$version' as calculation_version
from api_v1__performance;

create table api_v1__capex as
select
    '$organization' as organization_id, date_trunc('month', d.delivered_on)::date as month, d.developer_id,
    any_value(p.name) as developer_name, any_value(p.primary_email) as primary_email,
    cast(null as varchar) as role, cast(null as varchar) as seniority, cast(null as varchar) as team_id,
    cast(null as varchar) as team,
    160::decimal(18, 2) as hours,
    cast(100.0 * sum(effort_micro) filter (category = 'features') / sum(effort_micro) as decimal(18, 2))
        as capex_percent,
    capex_percent as capex_percent_low, capex_percent as capex_percent_high,
    cast(1.6 * capex_percent as decimal(18, 2)) as capex_hours,
    cast(160 - capex_hours as decimal(18, 2)) as opex_hours, sum(etv_micro)::bigint as etv_micro,
    sum(effort_micro)::bigint as effort_micro,
    coalesce(sum(effort_micro) filter (category = 'features'), 0)::bigint as capitalizable_effort_micro,
    coalesce(sum(etv_micro) filter (category = 'features'), 0)::bigint as capitalizable_etv_micro,
    sum(commits)::bigint as commits, true as dates_inferred,
    date_trunc('month', d.delivered_on)::date >= date_trunc('month', date '$as_of')::date as is_draft,
    'default' as policy_version, '$version' as calculation_version
from api_v1__daily as d join api_v1__developers as p using (developer_id)
where not is_sandbox
group by date_trunc('month', d.delivered_on), d.developer_id;

create table api_v1__billable_developers as
select developer_id, name, primary_email, date '$as_of' as renews_on, date '$as_of' as last_delivered_on
from api_v1__developers
where false;

create table api_v1__capex_evidence as
select
    date_trunc('month', delivered_on)::date as month, developer_id, repository_id, category,
    category as commit_category, 'default' as policy_version, category = 'features' as is_capitalizable,
    sum(effort_micro)::bigint as effort_micro, sum(etv_micro)::bigint as etv_micro, sum(commits)::bigint as commits
from api_v1__daily
where not is_sandbox
group by all;

create table api_v1__uncertain_commits as
select
    commit_id, commit_sha, subject, repository_id, repository_name, developer_id, developer_name, team_id,
    date_trunc('month', delivered_on)::date as month,
    date_trunc('month', delivered_on) >= date_trunc('month', date '$as_of') as is_draft,
    category, 'subject:add' as evidence, 0.6::double as features_probability, 0.3::double as maintenance_probability,
    0.1::double as fixes_probability, effort_micro,
    case when category = 'features' then effort_micro else 0 end as capitalizable_effort_micro,
    effort_micro as features_capitalizable_micro, 0::bigint as maintenance_capitalizable_micro,
    0::bigint as fixes_capitalizable_micro, (effort_micro * 0.49)::bigint as deviation_micro,
    '$version' as calculation_version
from api_v1__commits
where is_counted and effort_micro > 0 and category in ('features', 'maintenance', 'fixes');

create table api_v1__organizations as
select
    '$organization' as organization_id, 'Acme' as name, 'local' as slug, 'UTC' as time_zone,
    'five' as work_category_grouping, timestamptz '$as_of 06:00:00+00' as as_of, '$version' as calculation_version,
    min(delivered_on) as first_delivered_on, max(delivered_on) as last_delivered_on,
    (date_trunc('week', date '$as_of') - interval 7 days)::date as last_complete_week_start,
    (date_trunc('month', date '$as_of') - interval 1 month)::date as last_complete_month_start,
    0::bigint as waiting_commits, date '$as_of' as local_date, cast(null as date) as renews_on
from api_v1__daily;

drop table seed_files;
drop table seed_lines;
drop table seed_commits;
"""


def write_warehouse(
    path: Path,
    *,
    commits: int,
    repositories: int = 400,
    developers: int = 2000,
    teams: int = 0,
    days: int = 5 * 365,
    tenure: int | None = None,
) -> None:
    """Write a DuckDB file with every published relation: `commits` commits, about five files each.

    Each developer works for `tenure` of the `days` (all of them unless given). The same arguments give the same rows.
    """
    values = {
        "$repositories": repositories,
        "$developers": developers,
        "$teams": teams,
        "$tenure": tenure or days,
        "$days": days,
        "$moved_on": MOVED_ON.isoformat(),
        "$commits": commits,
        "$as_of": AS_OF.isoformat(),
        "$version": VERSION,
        "$organization": ORGANIZATION,
    }
    statements = _STATEMENTS
    for name, value in values.items():
        statements = statements.replace(name, str(value))
    with duckdb.connect(str(path)) as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute("set preserve_insertion_order = false")
        connection.execute(statements)
