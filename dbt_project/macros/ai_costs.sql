{#-
  Cost of rows with cost_nano and confidence_micro, and the mean confidence that each positive billionth has. Corrections of
  vendors are negative: as weights they could lift the mean above 1.
-#}
{% macro summed_cost(rows) -%}
{% set weighs = rows ~ '.cost_nano > 0 and ' ~ rows ~ '.confidence_micro is not null' -%}
{{ capped_sum(rows ~ '.cost_nano') }} as cost_nano,
    case
        when sum({{ rows }}.cost_nano) > 0
            then
                cast(round(
                    sum(case when {{ weighs }} then cast({{ rows }}.cost_nano as double) * {{ rows }}.confidence_micro end)
                    / sum(case when {{ weighs }} then {{ rows }}.cost_nano end)
                ) as integer)
    end as confidence_micro
{%- endmacro %}

{#- Billionths as millionths, in which amounts are published. -#}
{% macro cost_micro(nano) -%} cast(round({{ nano }} / 1000) as bigint) {%- endmacro %}
