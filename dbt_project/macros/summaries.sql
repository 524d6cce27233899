{#- The columns of a fact with their types, in their order. -#}
{% macro fact_columns() -%}
{%- set types = {} -%}
{%- for column in var('columns_of_facts') -%}
{%- do types.update({column.name: dbt.type_string() if column.data_type == 'varchar' else column.data_type}) -%}
{%- endfor -%}
{{ return(types) }}
{%- endmacro %}

{#-
  The columns of a fact. `kind` is a text; `key` (a position or another expression) follows it in the id. `kind_of` is
  SQL for the kind instead. Each other argument is the SQL of the column of that name; columns that are not named are null, and those of `leave_out` are missing.
-#}
{% macro fact(kind, key=none, leave_out=[]) -%}
{%- set given = {
  'fact_id': "concat('" ~ kind ~ ".', " ~ key ~ ")" if key else "'" ~ kind ~ "'", 'kind': "'" ~ kind ~ "'", 'position': '1'
} -%}
{%- do given.update(kwargs) -%}
{%- do given.update({'kind': kwargs.kind_of or given.kind}) -%}
{% for name, type in fact_columns().items() if name not in leave_out -%}
cast({{ given.get(name) or 'null' }} as {{ type }}) as {{ name }}{{ ',\n    ' if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- A count in millionths. -#}
{% macro millionths(count) -%} {{ count }} * 1000000 {%- endmacro %}

{#- A share in millionths, null where there is nothing to share; the API divides in doubles too. -#}
{% macro share_micro(part, whole) -%}
cast({{ capped('round(1000000.0 * ' ~ part ~ ' / nullif(' ~ whole ~ ', 0))') }} as bigint)
{%- endmacro %}

{#-
  Rows once for each scope of a summary that has them: the organization, the repository, and the teams of `team_id` and
  above it. Sandboxes count for their repository alone. `rows` has repository_id, is_sandbox and team_id; `columns` are
  further columns.
-#}
{% macro rows_of_scopes(rows, columns) -%}
select
        'ORGANIZATION' as scope_kind,
        '{{ var("organization_id") }}' as scope_id,
        {{ columns | join(',\n        ') }}
    from {{ rows }}
    where not is_sandbox
    union all
    select
        'REPOSITORY' as scope_kind,
        repository_id as scope_id,
        {{ columns | join(',\n        ') }}
    from {{ rows }}
    union all
    select
        'TEAM' as scope_kind,
        ancestors.ancestor_id as scope_id,
        {% for column in columns %}{{ rows }}.{{ column }}{{ ',\n        ' if not loop.last }}{% endfor %}
    from {{ rows }}
    inner join {{ ref('int_teams__ancestors') }} as ancestors on {{ rows }}.team_id = ancestors.team_id
    where not {{ rows }}.is_sandbox
{%- endmacro %}

{#- The days of the periods of summaries, each with its period and number; `told` leaves out those before the facts. -#}
{% macro days_of_summaries(told=false) -%}
select
        period,
        number,
        cast(moment as date) as day
    from (
        select
            period,
            number,
            {{ each(all_dates('period_start', 'period_end')) }} as moment
        from {{ ref('dim_summary_periods') }}
        {{ 'where is_told' if told }}
    ) as moments
{%- endmacro %}

{#- The key of the fact about commits without value for a reason. -#}
{% macro uncounted_key(reason) -%}
case {{ reason }} {% for name, key in var('summary_uncounted_reasons').items() %}when '{{ name }}' then '{{ key }}' {% endfor %}end
{%- endmacro %}
