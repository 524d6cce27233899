{#- Columns of usage by what they tell. Each but the kinds and the money is a whole number. -#}
{% macro usage_columns(part) %}
    {{ return({
        'kinds': ['product', 'model', 'effort', 'speed', 'service_tier'],
        'tokens': [
            'requests', 'input_tokens', 'cache_read_tokens', 'cache_write_5m_tokens', 'cache_write_1h_tokens',
            'output_tokens'
        ],
        'money': ['amount_nano', 'currency', 'basis'],
        'activity': [
            'sessions', 'lines_suggested', 'lines_accepted', 'lines_removed', 'edits_accepted', 'edits_rejected',
            'commits', 'pull_requests'
        ],
        'totals': ['active_people', 'ai_bytes', 'code_bytes'],
    }[part]) }}
{% endmacro %}

{#- Names as a list of columns, of a relation if one is named. -#}
{% macro named_columns(names, relation='') -%}
    {%- for name in names -%}
        {{ relation ~ '.' if relation }}{{ name }}{{ ',\n    ' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}

{#- Null in each of some columns of whole numbers or, with another type, of that one. -#}
{% macro null_columns(names, type='bigint') -%}
    {%- for name in names -%}
        cast(null as {{ type }}) as {{ name }}{{ ',\n    ' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}

{#-
  CTEs ending with `present`: the newest version of each row of a raw table that vendors still list. One connection lists
  a row once. Two of one kind may list it twice, such as a person in two organizations of an enterprise, or a key that
  was entered again: the first connection has `place` 1. Rows of a connection that is not in the settings do not count:
  after a lost control database it was entered again.
-#}
{% macro present_rows_of_ai_tools(table) %}
connections as (
    select
        connection_id,
        kind
    from {{ source('control', 'connections') }}
),

source as (
    select
        listed.*,
        connections.kind as connection_kind
    from {{ source('ai_tools', table) }} as listed
    inner join connections on listed.connection_id = connections.connection_id
),

deletions as (
    select
        connection_id,
        provider_id
    from {{ source('ai_tools', 'deletions') }}
    where table_name = '{{ table }}'
),

versions as (
    select
        *,
        row_number() over (partition by connection_id, provider_id order by batch desc) as version
    from source
),

present as (
    select
        versions.*,
        row_number() over (
            partition by versions.connection_kind, versions.provider_id order by versions.connection_id
        ) as place
    from versions
    left join deletions
        on versions.connection_id = deletions.connection_id and versions.provider_id = deletions.provider_id
    where versions.version = 1 and deletions.provider_id is null
)
{%- endmacro %}

{#- The person behind a row of a vendor, in the form in which rows are compared. -#}
{% macro actor_columns() -%}
    {{ compared_address('actor_email') }} as actor_email,
    lower(trim(actor_login)) as actor_login,
    trim(actor_id) as actor_id,
    trim(actor_name) as actor_name
{%- endmacro %}
