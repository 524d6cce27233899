-- Performance, movements, capitalisation and the organization; last, the numbers go.
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

-- One fact of each recent period; the others have the same shape.
create table api_v1__summary_facts as
select
    upper(entity_kind) as scope_kind, entity_id as scope_id, period, period_start, period_end, is_draft, 'etv' as fact_id,
    'etv' as kind, 1 as position, cast(null as varchar) as subject_type, cast(null as varchar) as subject_id,
    cast(null as varchar) as subject_title, cast(null as varchar) as subject_reference, cast(null as varchar) as url,
    'ETV' as unit, etv_micro as value_micro, cast(null as date) as on_date, previous_etv_micro as previous_micro,
    cast(null as bigint) as low_micro, cast(null as bigint) as high_micro, 1::bigint as basis,
    cast(null as varchar) as note, 1 as people, cast(null as integer) as usual_people,
    '$version' as calculation_version
from api_v1__movements
where period <> 'year' and entity_kind <> 'developer' and period_end > date '$as_of' - 100;

create table api_v1__working_days as
select
    day::date as day, epoch_us(day) + 32400000000 as starts_micros, 28800000000 as length_micros,
    28800000000 * (day::date - date '2020-01-01') as micros_before, 28800::bigint as seconds_per_day
from generate_series(date '2020-01-01', date '$as_of', interval 1 day) as t (day);

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
    category as commit_category, 'default' as policy_version, cast(null as varchar[]) as issue_types,
    cast(null as varchar[]) as objective_ids, category = 'features' as is_capitalizable,
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
