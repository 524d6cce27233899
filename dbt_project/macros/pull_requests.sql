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
