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

{#- Whether the arrived lines of a window were hardly reworked, and other files hardly changed. -#}
{% macro is_hardly_touched() -%}
{{ wide('reworked_in_window') }} * 1000000 < {{ wide('arrived_in_window') }} * {{ var('import_reworked_share_micro') }}
and {{ wide('worked_in_window') }} * 1000000 < {{ wide('worked_in_window + arrived_in_window') }} * {{ var('import_worked_share_micro') }}
{%- endmacro %}
