{#-
  The measures of a summary that have a usual range. The form says what `part` is: a sum in millionths, the numerator of a
  ratio of sums with the denominator `whole`, or a value of the period that is made of no sums. `note` says why a value is
  missing.
-#}
{% macro summary_measures() -%}
{%- set measures = [
  {'kind': 'etv', 'unit': 'ETV', 'form': 'sum', 'part': 'etv_micro'},
  {'kind': 'commits', 'unit': 'COUNT', 'form': 'sum', 'part': millionths('commits')},
  {'kind': 'people', 'unit': 'COUNT', 'form': 'value', 'part': millionths('people'), 'basis': 'people'},
  {
    'kind': 'ai_share', 'unit': 'SHARE', 'form': 'ratio', 'whole': 'etv_micro',
    'part': 'case when ai_etv_micro > 0 or ai_commits > 0 then ai_etv_micro end',
    'note': "case when etv_micro = 0 then 'NO_OUTPUT' when ai_etv_micro = 0 and ai_commits = 0 then 'NO_RECORDED_USE' end"
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
{%- for category in categories() -%}
{%- do measures.append({
  'kind': 'category_share', 'key': "'" ~ category ~ "'", 'position': loop.index, 'subject_type': "'CATEGORY'",
  'unit': 'SHARE', 'form': 'ratio', 'part': category ~ '_etv_micro', 'whole': 'etv_micro'
}) -%}
{%- endfor -%}
{%- for measure in measures -%}
{%- do measure.update({
  'key': measure.get('key'), 'position': measure.get('position', 1), 'subject_type': measure.get('subject_type'),
  'whole': measure.get('whole', 'null'), 'basis': measure.get('basis', 'commits'), 'note': measure.get('note')
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
