-- On each Monday, the twelve weeks before it. The row is about the file and names nobody.

with commits as (
    select * from {{ ref('int_delivered_commits') }}
    where not is_bot and not is_merge
),

files as (
    select * from {{ ref('fct_commit_files') }}
    where role = 'source' and zero_reason is null and status != 'D'
),

changes as (
    select
        files.repository_id,
        files.path,
        commits.developer_id,
        cast(date_trunc('week', commits.delivered_on) as date) as week_start,
        count(*) as commits
    from files
    inner join commits on files.commit_sha = commits.commit_sha
    group by files.repository_id, files.path, commits.developer_id, cast(date_trunc('week', commits.delivered_on) as date)
),

organization as (
    select * from {{ ref('int_organization') }}
),

-- Only these can be hot in a quarter, and they are few.
frequent as (
    select
        repository_id,
        path
    from changes
    group by repository_id, path
    having sum(commits) >= {{ var('check_hot_file_commits') }}
),

frequent_changes as (
    select changes.*
    from changes
    inner join frequent on changes.repository_id = frequent.repository_id and changes.path = frequent.path
),

people_of_weeks as (
    select distinct
        repository_id,
        developer_id,
        week_start
    from changes
),

counted as (
    {% for week in range(1, var('check_hot_file_weeks') + 1) -%}
    select
        *,
        {{ plus_days('week_start', 7 * week) }} as monday
    from frequent_changes
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

active as (
    {% for week in range(1, var('check_hot_file_weeks') + 1) -%}
    select
        *,
        {{ plus_days('week_start', 7 * week) }} as monday
    from people_of_weeks
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

people as (
    select
        repository_id,
        monday,
        count(distinct developer_id) as people
    from active
    group by repository_id, monday
),

of_people as (
    select
        repository_id,
        path,
        monday,
        developer_id,
        sum(commits) as commits
    from counted
    group by repository_id, path, monday, developer_id
),

shares as (
    select
        repository_id,
        path,
        monday,
        cast(max(commits) as bigint) as most_commits,
        cast(sum(commits) as bigint) as all_commits
    from of_people
    group by repository_id, path, monday
    having sum(commits) >= {{ var('check_hot_file_commits') }}
),

digests as (
    select
        shares.*,
        organization.time_zone,
        {{ uuid5_digest('organization.organization_id', "concat('file:', shares.repository_id, ' ', shares.path)") }} as digest
    from shares
    inner join people on shares.repository_id = people.repository_id and shares.monday = people.monday
    cross join organization
    where people.people >= {{ var('check_hot_file_people') }}
)

select
    'file' as subject_type,
    {{ uuid5_of_digest('digest') }} as subject_id,
    repository_id,
    cast(null as {{ dbt.type_string() }}) as developer_id,
    {{ instant_of_local('time_zone', 'cast(monday as timestamp)') }} as started_at,
    {{ instant_of_local('time_zone', 'cast(' ~ plus_days('monday', 7) ~ ' as timestamp)') }} as ended_at,
    'passed' as ended_by,
    {{ whole_ratio('most_commits * 100000000', 'all_commits') }} as value_micro,
    path as subject_title
from digests
