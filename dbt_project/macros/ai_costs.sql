{#- Cost of rows with cost_nano and confidence_micro, and the mean confidence that each billionth has. -#}
{% macro summed_cost(rows) -%}
{{ capped_sum(rows ~ '.cost_nano') }} as cost_nano,
    case
        when sum({{ rows }}.cost_nano) > 0
            then
                cast(round(
                    sum(cast({{ rows }}.cost_nano as double) * {{ rows }}.confidence_micro) / sum({{ rows }}.cost_nano)
                ) as integer)
    end as confidence_micro
{%- endmacro %}

{#- Billionths as millionths, in which amounts are published. -#}
{% macro cost_micro(nano) -%} cast(round({{ nano }} / 1000) as bigint) {%- endmacro %}
