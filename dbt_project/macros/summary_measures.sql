{#-
  The measures of a summary that have a usual range. The form says what `part` is: a sum in millionths, the numerator of a
  ratio of sums with the denominator `whole`, or a value of the period that is made of no sums. `note` says why a value is
  missing.
-#}
{% macro summary_measures() -%}
{#- From the first usage on, a period without any cost nothing; usage without a price has no cost that is known. -#}
{%- set ai_spend = 'case when number <= first_used_number then case when ai_people is null then 0 else ai_spend_micro end end' -%}
{%- set measures = [
  {'kind': 'etv', 'unit': 'ETV', 'form': 'sum', 'part': 'etv_micro'},
  {'kind': 'commits', 'unit': 'COUNT', 'form': 'sum', 'part': millionths('commits')},
  {
    'kind': 'merged_pull_requests', 'unit': 'COUNT', 'form': 'sum', 'basis': 'merged_pull_requests', 'people': 'authors',
    'part': 'case when number <= first_merged_number then coalesce(merged_pull_requests, 0) * 1000000 end'
  },
  {
    'kind': 'rework_share', 'unit': 'SHARE', 'form': 'ratio', 'part': 'taken_back_points_micro',
    'whole': '(points_micro + taken_back_points_micro)'
  },
  {'kind': 'people', 'unit': 'COUNT', 'form': 'value', 'part': millionths('people'), 'basis': 'people'},
  {
    'kind': 'ai_share', 'unit': 'SHARE', 'form': 'ratio', 'whole': 'etv_micro',
    'part': 'case when ai_etv_micro > 0 or ai_commits > 0 then ai_etv_micro end',
    'note': "case when etv_micro = 0 then 'NO_OUTPUT' when ai_etv_micro = 0 and ai_commits = 0 then 'NO_RECORDED_USE' end"
  },
  {
    'kind': 'ai_spend', 'unit': var('ai_cost_currency'), 'form': 'sum', 'part': ai_spend, 'basis': 'ai_people',
    'people': 'ai_people'
  },
  {
    'kind': 'ai_unit_cost', 'unit': var('ai_cost_currency'), 'form': 'ratio', 'part': ai_spend, 'whole': 'etv_micro',
    'basis': 'ai_people', 'people': 'ai_people'
  },
  {
    'kind': 'ai_users', 'unit': 'COUNT', 'form': 'value', 'basis': 'people', 'people': 'ai_users',
    'part': 'case when number <= first_used_number then coalesce(ai_users, 0) * 1000000 end'
  },
  {
    'kind': 'alignment', 'unit': 'SHARE', 'form': 'ratio', 'whole': 'etv_micro',
    'part': 'case when has_objectives then roadmap_etv_micro end',
    'note': "case when not has_objectives then 'NO_OBJECTIVES' when etv_micro = 0 then 'NO_OUTPUT' end"
  },
  {
    'kind': 'unaligned', 'unit': 'ETV', 'form': 'sum', 'part': 'case when has_objectives then etv_micro - roadmap_etv_micro end'
  },
  {
    'kind': 'performance', 'unit': 'SCORE', 'form': 'value', 'part': 'performance_micro',
    'note': "case when performance_micro is not null then null when etv_micro = 0 then 'NO_OUTPUT' else 'SHORT_HISTORY' end"
  }
] -%}
{%- for name in ['pickup', 'cycle'] -%}
{%- do measures.append({
  'kind': name ~ '_hours', 'unit': 'WORKING_HOURS', 'form': 'value', 'part': name ~ '_hours_micro',
  'basis': name ~ '_pull_requests', 'people': 'authors'
}) -%}
{%- endfor -%}
{%- for category in categories() -%}
{%- do measures.append({
  'kind': 'category_share', 'key': category, 'position': loop.index,
  'unit': 'SHARE', 'form': 'ratio', 'part': category ~ '_etv_micro', 'whole': 'etv_micro'
}) -%}
{%- endfor -%}
{%- for measure in measures -%}
{%- do measure.update({
  'key': measure.get('key'), 'position': measure.get('position', 1),
  'whole': measure.get('whole', 'null'), 'basis': measure.get('basis', 'commits'), 'note': measure.get('note'),
  'people': measure.get('people', 'people')
}) -%}
{%- endfor -%}
{{ return(measures) }}
{%- endmacro %}

{#- A window over the periods before one; a larger number is an earlier period. -#}
{% macro periods_before(first, last) -%}
over (
            partition by scope_kind, scope_id, period, fact_id order by number
            rows between {{ first }} following and {{ last }} following
        )
{%- endmacro %}

{#-
  CTEs ending with `valued`, a row per scope, period and measure, and `told`, those of periods with facts, with the values of
  the periods before. They need the CTE `scopes`.
-#}
{% macro summary_values() -%}
-- One row per measure from one array, because a select for each makes a plan that takes longer than its run.
with_measures as (
    select
        scope_kind,
        scope_id,
        period,
        number,
        is_told,
        {% set measures = [] -%}
        {% for measure in summary_measures() -%}
        {% do measures.append(struct_of({
            'people': 'cast(coalesce(' ~ measure.people ~ ', 0) as integer)',
            'form': "'" ~ measure.form ~ "'",
            'part': 'cast(' ~ measure.part ~ ' as bigint)',
            'whole': 'cast(' ~ measure.whole ~ ' as bigint)',
            'fact_id': "'" ~ measure.kind ~ ('.' ~ measure.key if measure.key else '') ~ "'",
            'kind': "'" ~ measure.kind ~ "'",
            'place': 'cast(' ~ measure.position ~ ' as integer)',
            'category': "'" ~ measure.key ~ "'" if measure.key else 'cast(null as ' ~ dbt.type_string() ~ ')',
            'unit': "'" ~ measure.unit ~ "'",
            'basis': 'cast(' ~ measure.basis ~ ' as bigint)',
            'note': 'cast(' ~ (measure.note or 'null') ~ ' as ' ~ dbt.type_string() ~ ')'
        })) -%}
        {% endfor -%}
        {{ each(array_of(measures)) }} as measure
    from scopes
),

measured as (
    select
        scope_kind,
        scope_id,
        period,
        number,
        is_told,
        measure.people as people,
        measure.form as form,
        measure.part as part,
        measure.whole as whole,
        {{ fact(
            'measure', fact_id='measure.fact_id', kind_of='measure.kind', position='measure.place',
            subject_type="case when measure.category is not null then 'CATEGORY' end", subject_id='measure.category',
            unit='measure.unit', basis='measure.basis', note='measure.note',
            leave_out=['value_micro', 'previous_micro', 'low_micro', 'high_micro', 'people', 'usual_people']
        ) }}
    from with_measures
),

valued as (
    select
        *,
        case when form = 'ratio' then {{ share_micro('part', 'whole') }} else part end as value_micro
    from measured
),

ranged as (
    select
        *,
        lead(value_micro) over (partition by scope_kind, scope_id, period, fact_id order by number) as previous_micro,
        lead(people) over (partition by scope_kind, scope_id, period, fact_id order by number) as previous_people,
        count(value_micro) {{ periods_before(1, var('summary_usual_buckets')) }} as usual_buckets,
        min(value_micro) {{ periods_before(1, var('summary_usual_buckets')) }} as lowest_micro,
        max(value_micro) {{ periods_before(1, var('summary_usual_buckets')) }} as highest_micro,
        min(case when value_micro is not null then nullif(people, 0) end)
            {{ periods_before(1, var('summary_usual_buckets')) }} as people_in_range,
        count(*) {{ periods_before(1, 3) }} as periods_before,
        sum(part) {{ periods_before(1, 3) }} as part_before,
        count(part) {{ periods_before(1, 3) }} as parts_before,
        sum(whole) {{ periods_before(1, 3) }} as whole_before,
        sum(basis) {{ periods_before(1, 3) }} as basis_before,
        min(nullif(people, 0)) {{ periods_before(1, 3) }} as people_before
    from valued
),

-- Where the period before is shown too, it may be the work of fewer people.
told as (
    select
        *,
        case when usual_buckets >= {{ var('summary_usual_least') }} then lowest_micro end as low_micro,
        case when usual_buckets >= {{ var('summary_usual_least') }} then highest_micro end as high_micro,
        case when usual_buckets >= {{ var('summary_usual_least') }} then people_in_range end as usual_people,
        least(nullif(people, 0), nullif(previous_people, 0)) as fewest_people
    from ranged
    where is_told
)
{%- endmacro %}
