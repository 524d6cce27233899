{#-
  Published tables have the rows and columns of a mart, so that its contract also holds for them. One query returns
  the differences of all tables; it must be empty. `position` is the number of a row in the file, from 0.
-#}
{%- set copies = [
    {'table': ref('billable_developers'), 'mart': ref('api_v1__billable_developers'), 'added': [], 'left_out': []},
    {'table': ref('capex'), 'mart': ref('api_v1__capex'), 'added': ['developer_number'], 'left_out': []},
    {'table': ref('capex_evidence'), 'mart': ref('api_v1__capex_evidence'), 'added': [], 'left_out': []},
    {'table': ref('pull_requests'), 'mart': ref('api_v1__pull_requests'), 'added': [], 'left_out': []},
    {'table': ref('pull_request_times'), 'mart': ref('api_v1__pull_request_times'), 'added': [], 'left_out': []},
    {'table': ref('pull_request_commits'), 'mart': ref('api_v1__pull_request_commits'), 'added': [], 'left_out': []},
    {'table': ref('pull_request_issues'), 'mart': ref('api_v1__pull_request_issues'), 'added': [], 'left_out': []},
    {'table': ref('reviews'), 'mart': ref('api_v1__reviews'), 'added': [], 'left_out': []},
    {'table': ref('uncertain_commits'), 'mart': ref('api_v1__uncertain_commits'), 'added': [], 'left_out': []},
    {'table': ref('commit_ai_evidence'), 'mart': ref('api_v1__commit_ai_evidence'), 'added': [], 'left_out': []},
    {'table': ref('commit_credits'), 'mart': ref('api_v1__commit_credits'), 'added': [], 'left_out': []},
    {'table': ref('commit_files'), 'mart': ref('api_v1__commit_files'), 'added': [], 'left_out': []},
    {'table': ref('commit_origins'), 'mart': ref('api_v1__commit_origins'), 'added': [], 'left_out': []},
    {'table': ref('commits_by_developer'), 'mart': ref('api_v1__commits'), 'added': ['position'], 'left_out': ['explanation']},
    {'table': ref('commits_by_repository'), 'mart': ref('api_v1__commits'), 'added': ['position'], 'left_out': ['explanation']},
    {'table': ref('commits_by_time'), 'mart': ref('api_v1__commits'), 'added': ['position'], 'left_out': []},
    {'table': ref('import_bursts'), 'mart': ref('api_v1__import_bursts'), 'added': [], 'left_out': []},
    {'table': ref('line_kinds'), 'mart': ref('api_v1__line_kinds'), 'added': [], 'left_out': []},
    {'table': ref('zero_reason_commits'), 'mart': ref('api_v1__zero_reason_commits'), 'added': [], 'left_out': []},
    {'table': ref('zero_reason_days'), 'mart': ref('api_v1__zero_reason_days'), 'added': [], 'left_out': []},
    {'table': ref('zero_reasons'), 'mart': ref('api_v1__zero_reasons'), 'added': [], 'left_out': []},
    {'table': ref('developer_identities'), 'mart': ref('api_v1__developer_identities'), 'added': [], 'left_out': []},
    {'table': ref('developers'), 'mart': ref('api_v1__developers'), 'added': ['position'], 'left_out': []},
    {'table': ref('merge_suggestions'), 'mart': ref('api_v1__merge_suggestions'), 'added': [], 'left_out': []},
    {'table': ref('organizations'), 'mart': ref('api_v1__organizations'), 'added': [], 'left_out': []},
    {'table': ref('repositories'), 'mart': ref('api_v1__repositories'), 'added': ['position'], 'left_out': []},
    {'table': ref('team_members'), 'mart': ref('api_v1__team_members'), 'added': ['developer_number', 'team_number'], 'left_out': []},
    {'table': ref('teams'), 'mart': ref('api_v1__teams'), 'added': ['position'], 'left_out': []},
    {'table': ref('commit_issues'), 'mart': ref('api_v1__commit_issues'), 'added': [], 'left_out': []},
    {'table': ref('issues'), 'mart': ref('api_v1__issues'), 'added': [], 'left_out': []},
    {'table': ref('objective_days'), 'mart': ref('api_v1__objective_days'), 'added': [], 'left_out': []},
    {'table': ref('objectives'), 'mart': ref('api_v1__objectives'), 'added': [], 'left_out': []},
    {'table': ref('daily'), 'mart': ref('api_v1__daily'), 'added': [], 'left_out': []},
    {'table': ref('daily_by_team'), 'mart': ref('api_v1__daily'), 'added': [], 'left_out': []},
    {'table': ref('movements'), 'mart': ref('api_v1__movements'), 'added': ['entity_number'], 'left_out': []},
    {'table': ref('performance'), 'mart': ref('api_v1__performance'), 'added': ['entity_number'], 'left_out': []},
    {'table': ref('performance_by_period'), 'mart': ref('performance'), 'added': [], 'left_out': []},
    {'table': ref('team_daily'), 'mart': ref('api_v1__team_daily'), 'added': [], 'left_out': []},
] -%}
with given as (
    {% for copy in copies -%}
    select
        '{{ copy.table.identifier }}' as table_name,
        '{{ copy.mart.database }}' as mart_database,
        '{{ copy.mart.identifier }}' as mart_name,
        {{ copy.added }}::varchar[] as added,
        {{ copy.left_out }}::varchar[] as left_out,
        (select count(*) from {{ copy.table }}) as table_rows,
        (select count(*) from {{ copy.mart }}) as mart_rows
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

columns as (
    select
        database_name,
        table_name,
        column_name,
        data_type
    from duckdb_columns()
    where not internal
),

found as (
    select
        given.table_name,
        columns.column_name,
        columns.data_type
    from given
    inner join columns on columns.database_name = 'published' and given.table_name = columns.table_name
    where not list_contains(given.added, columns.column_name)
),

wanted as (
    select
        given.table_name,
        columns.column_name,
        columns.data_type
    from given
    inner join columns on given.mart_database = columns.database_name and given.mart_name = columns.table_name
    where not list_contains(given.left_out, columns.column_name)
)

(select table_name, column_name as problem, data_type as found from found except from wanted)
union all
(select table_name, column_name, data_type from wanted except from found)
union all
select
    table_name,
    'rows',
    concat(table_rows, ' instead of ', mart_rows)
from given
where table_rows <> mart_rows
{%- for name in ['commits_by_developer', 'commits_by_repository', 'commits_by_time', 'developers', 'repositories', 'teams'] %}
union all
select
    '{{ name }}',
    'position',
    concat(position, ' in row ', rowid)
from {{ ref(name) }}
where position is distinct from rowid
{%- endfor %}
