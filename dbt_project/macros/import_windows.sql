{#- A number of lines, given as a var, in millionths. -#}
{% macro lines_micro(name) -%} {{ var(name) * 1000000 }} {%- endmacro %}

{#- Sums of arrived, reworked and worked lines of one owner, over this many microseconds up to each row. -#}
{% macro window_masses(relation, owner, micros) -%}
select
    *,
    {% for mass, total in [
        ('new_files', 'files'), ('arrived_micro', 'arrived'), ('reworked_micro', 'reworked'), ('worked_micro', 'worked')
    ] -%}
    sum({{ mass }}) over (
        partition by {{ owner }} order by authored_micros
        range between {{ micros }} preceding and current row
    ) as {{ total }}_in_window{{ ',' if not loop.last }}
    {% endfor -%}
from {{ relation }}
{%- endmacro %}

{#- The end of the last window that qualifies (`end_micros` of the row that it ends with) and has the row inside. -#}
{% macro last_window(relation, owner, micros) -%}
select
    commit_sha,
    new_files,
    max(end_micros) over (
        partition by {{ owner }} order by authored_micros
        range between current row and {{ micros }} following
    ) as last_end_micros
from {{ relation }}
{%- endmacro %}

{#-
  The pace that an owner keeps anyway: novel lines of the period of this many microseconds with the third-highest number
  among those of which the author reworked enough. One or two such periods may be chance.
-#}
{% macro usual_paces(relation, owner, micros) -%}
select
    {{ owner }},
    pace_micro
from (
    select
        {{ owner }},
        sum(novel_micro) as pace_micro,
        row_number() over (partition by {{ owner }} order by sum(novel_micro) desc) as place
    from {{ relation }}
    group by {{ owner }}, {{ whole_ratio('authored_micros', micros) }}
    having
        sum(arrived_micro) > 0
        and {{ wide('sum(reworked_micro)') }} * 1000000 >= {{ wide('sum(arrived_micro)') }} * {{ var('import_reworked_share_micro') }}
) as periods
where place = {{ var('import_usual_periods') }}
{%- endmacro %}

{#-
  Whether more lines arrived than a limit, in millionths. Reworked lines count less, and not at all where they are the share
  that people revise.
-#}
{% macro mass_above(arrived, reworked, limit) -%}
{{ wide(arrived ~ ' - ' ~ limit) }} * {{ var('import_reworked_share_micro') }} > {{ wide(reworked) }} * 1000000
{%- endmacro %}

{#- The same in a window, with the author's usual pace as the limit where it is higher. -#}
{% macro arrives_above(limit, pace) -%}
{{ mass_above('arrived_in_window', 'reworked_in_window', 'greatest(' ~ lines_micro(limit) ~ ', coalesce(' ~ pace ~ ', 0))') }}
{%- endmacro %}

{#- Whether other files were hardly changed. -#}
{% macro is_beside_little_work() -%}
{{ wide('worked_in_window') }} * 1000000 < {{ wide('worked_in_window + arrived_in_window') }} * {{ var('import_worked_share_micro') }}
{%- endmacro %}
