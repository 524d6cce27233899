{#- The kinds of checks as rows, from the var of the project. -#}
{% macro check_kind_rows() -%}
{%- set micro = 1000000 -%}
{% for kind in var('check_kinds') -%}
    select
        '{{ kind.name }}' as kind,
        '{{ kind.unit }}' as unit,
        {{ kind.is_below | default(false) | lower }} as is_below,
        {{ kind.is_on | lower }} as is_on,
        cast({{ (kind.threshold * micro) | int if kind.threshold is defined else 'null' }} as bigint) as threshold_micro,
        cast({{ (kind.critical * micro) | int if kind.critical is defined else 'null' }} as bigint) as critical_micro,
        cast({{ kind.lasting_days | default('null') }} as integer) as lasting_days
    {{- '\n    union all\n' if not loop.last }}
{% endfor %}
{%- endmacro %}

{#- The name of an AI tool for people; one that nobody has named keeps its own. -#}
{% macro ai_tool_name(tool) -%}
case {{ tool }}
        {% for tool, name in var('ai_tool_names').items() -%}
        when '{{ tool }}' then '{{ name }}'
        {% endfor -%}
        else {{ tool }}
    end
{%- endmacro %}

{#- Whether a kind is found in rows of connections, so that a build without them leaves it out. -#}
{% macro is_connected(kind) -%}
{{ return(kind.source in ('pull_request', 'issue') or kind.name in var('connected_commit_checks')) }}
{%- endmacro %}

{#- The rows of kinds, with their names. Things without a list of their own bring their titles. -#}
{% macro measured_kinds(kinds) -%}
{% for kind in kinds -%}
    select
        '{{ kind.name }}' as kind,
        *
        {%- if kind.source not in ('file', 'branch', 'connection', 'ai_usage') %},
        cast(null as {{ dbt.type_string() }}) as subject_title
        {%- endif %}
    from {{ ref('fct_check__' ~ kind.name) }}
    {{- '\n    union all\n' if not loop.last }}
{% endfor %}
{%- endmacro %}

{#- Whether a measured value has reached a threshold; a kind without a threshold needs none. -#}
{% macro reaches(value, threshold) -%}
({{ threshold }} is null or case when is_below then {{ value }} <= {{ threshold }} else {{ value }} >= {{ threshold }} end)
{%- endmacro %}

{#- The limit of a stretch by the setting of its kind: a multiple of the usual value, or a number. -#}
{% macro limit_of(name) -%}
case
            when kinds.threshold_multiple_hundredths is not null and stretches.usual_micro is not null
                then {{ whole_ratio('stretches.usual_micro * kinds.' ~ name ~ '_multiple_hundredths', 100) }}
            else kinds.{{ name }}_micro
        end
{%- endmacro %}

{#- Whether two times have an instant in common; an end that is null stands for a time that lasts. -#}
{% macro overlap(one, other) -%}
{{ one }}.started_at < coalesce({{ other }}.ended_at, {{ one }}.started_at + interval '1' second)
and {{ other }}.started_at < coalesce({{ one }}.ended_at, {{ other }}.started_at + interval '1' second)
{%- endmacro %}

{#- Start, end and cause of the end of what two times have in common. At one instant, the phase is the cause. -#}
{% macro common_time(times, phases, cause) -%}
greatest({{ times }}.started_at, {{ phases }}.started_at) as started_at,
    least({{ times }}.ended_at, {{ phases }}.ended_at) as ended_at,
    case
        when {{ times }}.ended_at < coalesce({{ phases }}.ended_at, {{ times }}.ended_at + interval '1' second)
            then {{ cause }}
        else {{ phases }}.ended_by
    end as ended_by
{%- endmacro %}

{#- An event of the past has no end: `lasting_days` of its kind lets it age. -#}
{% macro endless() -%}
cast(null as {{ instant_type() }}) as ended_at,
    cast(null as {{ dbt.type_string() }}) as ended_by
{%- endmacro %}
