{#-
  CTEs ending with `pull_requests`: the newest version of each pull request that still exists, with the host of its
  connection. Two connections may read one repository, so the version that changed last stands for both. Rows of a
  connection that is not in the settings do not count: after a lost control database it was entered again.
-#}
{% macro newest_pull_requests(columns) %}
connections as (
    select connection_id from {{ source('control', 'connections') }}
),

hosts as (
    select
        connection_id,
        min(lower({{ first_match('address', pattern_text('^[A-Za-z+]+:/+(?:[^/@]*@)?([^/:]+)'), 1) }})) as host
    from {{ source('hosts', 'repositories') }}
    group by connection_id
),

deletions as (
    select
        connection_id,
        provider_id
    from {{ source('hosts', 'deletions') }}
    where table_name = 'pull_requests'
),

versions as (
    select
        connection_id,
        provider_id,
        repository_id,
        number,
        updated_at,
        {{ columns | join(',\n        ') }},
        row_number() over (partition by connection_id, provider_id order by batch desc, updated_at desc) as version
    from {{ source('hosts', 'pull_requests') }}
    where connection_id in (select connection_id from connections)
),

known as (
    select
        versions.*,
        row_number() over (
            partition by versions.repository_id, versions.number
            order by versions.updated_at desc, versions.connection_id, versions.provider_id
        ) as place
    from versions
    left join deletions
        on versions.connection_id = deletions.connection_id and versions.provider_id = deletions.provider_id
    where versions.version = 1 and deletions.provider_id is null
),

digests as (
    select
        known.*,
        -- A connection whose repositories are unknown is a host of its own.
        coalesce(nullif(hosts.host, ''), known.connection_id) as host,
        {{ uuid5_digest(
            "'" ~ var('organization_id') ~ "'",
            "concat('pull_request:', known.repository_id, ' ', cast(known.number as " ~ dbt.type_string() ~ "))"
        ) }} as digest
    from known
    left join hosts on known.connection_id = hosts.connection_id
    where known.place = 1
),

pull_requests as (
    select
        *,
        {{ uuid5_of_digest('digest') }} as pull_request_id
    from digests
)
{% endmacro %}

{#- A login as hosts compare it: without case. -#}
{% macro compared_account(login) -%} lower(trim({{ login }})) {%- endmacro %}

{#- The host of a noreply address (`users.noreply.github.com` → `github.com`). -#}
{% macro host_of_noreply(domain) -%}
{{ replaced(domain, pattern_text('^(users\\.)?noreply\\.'), "''") }}
{%- endmacro %}

{#- Millionths of hours in microseconds. -#}
{% macro hours_micro(micros) -%} {{ whole_ratio(micros, '3600') }} {%- endmacro %}

{#- Kinds of events with which somebody answers a pull request. -#}
{% macro review_kinds() -%} ('approved', 'changes_requested', 'reviewed', 'commented') {%- endmacro %}

{#- Working time until an instant, of the row of its day in `int_pull_requests__working_days`. -#}
{% macro worked_until(days, micros) -%}
{{ days }}.micros_before + least(greatest({{ micros }} - {{ days }}.starts_micros, 0), {{ days }}.length_micros)
{%- endmacro %}

{#-
  CTEs ending with `facts`: the delivered commits of the repositories of `pull_requests`, in the order of the default branch.
  They need the CTEs `pull_requests` and `commits`.
-#}
{% macro delivered_facts() %}
affected as (
    select distinct repository_id
    from pull_requests
),

steps as (
    select
        deliveries.repository_id,
        deliveries.delivery_sha,
        deliveries.position,
        deliveries.delivered_at,
        deliveries.pull_request,
        deliveries.branch_names,
        {{ each('deliveries.commit_shas') }} as commit_sha
    from {{ ref('stg_git__deliveries') }} as deliveries
    inner join affected on deliveries.repository_id = affected.repository_id
),

facts as (
    select
        steps.*,
        commits.is_merge,
        {{ compared_address('commits.author_email') }} as author_address,
        commits.authored_at,
        commits.committed_at,
        commits.subject
    from steps
    inner join commits on steps.repository_id = commits.repository_id and steps.commit_sha = commits.commit_sha
)
{% endmacro %}

{#-
  What is known of a source commit, of the CTEs `listed` and `commits`: review refs may have the commit with more than the
  provider tells.
-#}
{% macro source_columns() -%}
        listed.pull_request_id,
        listed.repository_id,
        listed.source_number,
        listed.source_sha,
        coalesce({{ compared_address('commits.author_email') }}, listed.author_address) as author_address,
        coalesce(commits.authored_at, listed.authored_at) as authored_at,
        coalesce(commits.subject, listed.subject) as subject,
        coalesce(commits.is_merge, listed.subject like 'Merge %branch%') as is_merge
{%- endmacro %}
