{#- Value of a check in the unit of a fact: units that facts do not have are counts, or hours. -#}
{% macro fact_unit_of_check(unit) -%}
case {{ unit }}
            when 'working_hours' then 'WORKING_HOURS'
            when 'working_days' then 'WORKING_DAYS'
            when 'etv' then 'ETV'
            when 'usd' then 'USD'
            when 'percent' then 'SHARE'
            when 'days' then 'DAYS'
            when 'calendar_days' then 'DAYS'
            when 'minutes' then 'HOURS'
            else 'COUNT'
        end
{%- endmacro %}

{% macro fact_value_of_check(unit, micro) -%}
case {{ unit }}
            when 'percent' then cast(round({{ micro }} / 100.0) as bigint)
            when 'minutes' then cast(round({{ micro }} / 60.0) as bigint)
            when 'events' then null
            else {{ micro }}
        end
{%- endmacro %}

{#-
  CTEs ending with `check_facts`: occurrences at the end of each period, and how many began and ended in it. They need the
  CTEs `periods`, `organization` and `scopes`. A clock is read at the end of the period, whatever came later.
-#}
{% macro summary_checks() -%}
{% set scope = 'scope_kind,\n        scope_id,\n        period,\n        number,' -%}
told_periods as (
    select * from periods
    where is_told
),

kinds as (
    select
        kinds.*,
        case kinds.kind
            {% for kind in var('check_kinds') -%}
            when '{{ kind.name }}' then '{{ kind.actor.upper() }}'
            {% endfor -%}
        end as actor,
        case kinds.kind
            {% for kind in var('check_kinds') -%}
            when '{{ kind.name }}' then '{{ kind.label }}'
            {% endfor -%}
        end as label
    from {{ ref('int_checks__kinds') }} as kinds
),

working_days as (
    select * from {{ ref('int_pull_requests__working_days') }}
),

episodes as (
    select
        episodes.*,
        kinds.is_clock,
        kinds.is_calendar,
        kinds.unit,
        kinds.unit_seconds,
        kinds.lasting_days is not null as is_event,
        kinds.actor,
        kinds.label,
        cast({{ local_time('organization.time_zone', 'episodes.opened_at') }} as date) as opened_on,
        cast({{ local_time('organization.time_zone', 'episodes.ended_at') }} as date) as ended_on,
        -- Work of unknown authors is somebody's, and the shares of a repository are those of few.
        episodes.developer_id is null and episodes.subject_type not in ('objective', 'issue', 'team', 'connection') as is_of_unknown,
        false as is_sandbox
    from {{ ref('fct_check_episodes') }} as episodes
    inner join kinds on episodes.kind = kinds.kind
    cross join organization
),

of_scopes as (
    {{ rows_of_scopes('episodes', [
        'occurrence_id', 'number', 'kind', 'label', 'unit', 'unit_seconds', 'actor', 'is_clock', 'is_calendar', 'is_event', 'is_critical',
        'subject_type', 'subject_id', 'subject_title', 'repository_id', 'developer_id', 'is_of_unknown', 'opened_at',
        'opened_on', 'ended_at', 'ended_on', 'measured_micro', 'threshold_micro', 'critical_micro'
    ]) }}
),

check_counts as (
    select
        of_scopes.scope_kind,
        of_scopes.scope_id,
        told_periods.period,
        told_periods.number,
        {% for name, condition in [
            ('opened', 'of_scopes.opened_on >= told_periods.period_start'),
            ('ended', 'of_scopes.ended_on <= told_periods.period_end'),
            ('open', '(of_scopes.ended_on is null or of_scopes.ended_on > told_periods.period_end)')
        ] -%}
        count(case when {{ condition }} then 1 end) as {{ name }},
        nullif(
            count(distinct case when {{ condition }} then of_scopes.developer_id end)
            + max(case when {{ condition }} and of_scopes.is_of_unknown then 1 else 0 end),
            0
        ) as {{ name }}_people{{ ',' if not loop.last }}
        {% endfor %}
    from of_scopes
    inner join told_periods
        on
            of_scopes.opened_on <= told_periods.period_end
            and (of_scopes.ended_on is null or of_scopes.ended_on >= told_periods.period_start)
    group by of_scopes.scope_kind, of_scopes.scope_id, told_periods.period, told_periods.number
),

lasting as (
    select
        of_scopes.*,
        told_periods.period,
        told_periods.number as period_number,
        of_scopes.is_event and of_scopes.opened_on < told_periods.period_start as is_past,
        case
            when not of_scopes.is_clock or told_periods.number = 0 then of_scopes.measured_micro
            when of_scopes.is_calendar
                then least(
                    of_scopes.measured_micro,
                    of_scopes.threshold_micro + {{ whole_ratio(
                        epoch_micros(instant_of_local(
                            'organization.time_zone',
                            'cast(' ~ plus_days('told_periods.period_end', 1) ~ ' as timestamp)'
                        )) ~ ' - 1 - ' ~ epoch_micros('of_scopes.opened_at'),
                        'of_scopes.unit_seconds'
                    ) }}
                )
            else least(
                of_scopes.measured_micro,
                of_scopes.threshold_micro + {{ whole_ratio(
                    'greatest(lasts.micros_before + lasts.length_micros - ('
                    ~ worked_until('firsts', epoch_micros('of_scopes.opened_at')) ~ '), 0)',
                    'of_scopes.unit_seconds'
                ) }}
            )
        end as value_micro
    from of_scopes
    inner join told_periods
        on
            of_scopes.opened_on <= told_periods.period_end
            and (of_scopes.ended_on is null or of_scopes.ended_on > told_periods.period_end)
    cross join organization
    left join working_days as firsts on of_scopes.opened_on = firsts.day
    left join working_days as lasts on told_periods.period_end = lasts.day
),

judged as (
    select
        *,
        case when is_clock then coalesce(value_micro >= critical_micro, false) else is_critical end as is_critical_then,
        cast(value_micro as double) / nullif(threshold_micro, 0) as excess
    from lasting
),

of_kinds as (
    select
        *,
        row_number() over (
            partition by scope_kind, scope_id, period, period_number, is_past, is_critical_then, kind
            order by excess desc nulls last, opened_at, occurrence_id
        ) as place_in_kind
    from judged
),

ordered as (
    select
        *,
        row_number() over (
            partition by scope_kind, scope_id, period, period_number
            order by
                -- What happened in an earlier period comes after all that still goes on.
                is_past,
                is_critical_then desc,
                -- Old branches would hide all else: the worst of each kind comes before the second of any.
                place_in_kind,
                excess desc nulls last,
                opened_at,
                occurrence_id
        ) as place
    from of_kinds
),

open_checks as (
    select
        ordered.scope_kind,
        ordered.scope_id,
        ordered.period,
        ordered.period_number as number,
        ordered.place,
        ordered.kind,
        ordered.label,
        ordered.actor,
        case when ordered.is_event then ordered.opened_on end as happened_on,
        ordered.subject_id,
        upper(ordered.subject_type) as subject_type,
        coalesce(
            subjects.title, commits.subject, ordered.subject_title,
            case ordered.subject_type
                when 'repository' then repositories.name
                when 'developer' then developers.name
                when 'team' then teams.name
            end
        ) as title,
        {{ reference_in_scope(
            'ordered.scope_kind',
            'ordered.subject_type',
            'coalesce(subjects.reference, substr(commits.commit_sha, 1, ' ~ var('summary_sha_digits') ~ '))',
            'repositories'
        ) }} as reference,
        coalesce(
            subjects.url,
            case when pages.commit_page is not null then concat(pages.commit_page, commits.commit_sha) end
        ) as url,
        case
            when ordered.developer_id is not null or ordered.is_of_unknown then 1
            when ordered.subject_type = 'team' then greatest(teams.developer_count, 1)
        end as people,
        {{ fact_unit_of_check('ordered.unit') }} as unit,
        {{ fact_value_of_check('ordered.unit', 'ordered.value_micro') }} as value_micro,
        {{ fact_value_of_check('ordered.unit', 'ordered.threshold_micro') }} as threshold_micro
    from ordered
    left join {{ ref('fct_check_subjects') }} as subjects
        on ordered.subject_type = subjects.subject_type and ordered.subject_id = subjects.subject_id
    left join {{ ref('int_commits') }} as commits
        on ordered.subject_type = 'commit' and ordered.subject_id = commits.commit_id
    left join ({{ named_repositories() }}) as repositories on ordered.repository_id = repositories.repository_id
    left join {{ ref('dim_developers') }} as developers on ordered.developer_id = developers.developer_id
    left join {{ ref('dim_teams') }} as teams
        on ordered.subject_type = 'team' and ordered.subject_id = teams.team_id
    left join ({{ commit_pages() }}) as pages on commits.repository_id = pages.repository_id
    where ordered.place <= {{ var('summary_checks') }}
),

check_facts as (
    select
        {{ scope }}
        {{ fact(
            'check_open', 'place', position='place', subject_type='subject_type', subject_id='subject_id',
            subject_title='title', subject_reference='reference', url='url', unit='unit', value_micro='value_micro',
            on_date='happened_on', note='actor', people='people'
        ) }}
    from open_checks
    union all
    select
        {{ scope }}
        {{ fact(
            'check_open_kind', 'place', position='place', subject_type="'CHECK_KIND'", subject_id='kind',
            subject_title='label', unit='unit', value_micro='threshold_micro', people='people'
        ) }}
    from open_checks
    {% for count in ['opened', 'ended', 'open'] -%}
    union all
    select
        scopes.scope_kind,
        scopes.scope_id,
        scopes.period,
        scopes.number,
        {{ fact(
            'checks_' ~ count, unit="'COUNT'", value_micro=millionths('coalesce(check_counts.' ~ count ~ ', 0)'),
            people='check_counts.' ~ count ~ '_people'
        ) }}
    from scopes
    left join check_counts
        on
            scopes.scope_kind = check_counts.scope_kind
            and scopes.scope_id = check_counts.scope_id
            and scopes.period = check_counts.period
            and scopes.number = check_counts.number
    where scopes.is_told
    {% endfor -%}
)
{%- endmacro %}
