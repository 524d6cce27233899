-- Teams, developers and repositories.
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
    cast(null as varchar) as commit_page, 'main' as default_branch, md5(repository_id) || '00000000' as head_sha,
    cast(regexp_extract(any_value(repository_name), '[0-9]+$') as bigint) % 50 = 49 as is_sandbox,
    false as is_excluded, false as is_disabled, cast([] as varchar[]) as tags,
    false as is_shallow, false as is_partial, count(*) as commit_count,
    count(delivered_at) as delivered_commit_count, count(distinct developer_id) as developer_count,
    0::bigint as skipped_objects, 0::bigint as misdated_deliveries, min(delivered_at) as first_delivered_at, max(delivered_at) as last_delivered_at,
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
