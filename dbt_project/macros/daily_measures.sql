{#- What is summed of credits by day. -#}
{% macro daily_measures(credits) -%}
{% for measure in [
    'etv_micro', 'effort_micro', 'points_micro', 'taken_back_points_micro', 'aligned_etv_micro', 'roadmap_etv_micro'
] -%}
cast(sum({{ credits }}.{{ measure }}) as bigint) as {{ measure }},
{% endfor -%}
cast(sum(case when {{ credits }}.is_ai_assisted then {{ credits }}.etv_micro else 0 end) as bigint) as ai_etv_micro,
cast(sum({{ credits }}.commits) as bigint) as commits,
cast(sum(case when {{ credits }}.is_ai_assisted then {{ credits }}.commits else 0 end) as bigint) as ai_commits,
cast(sum({{ credits }}.files) as bigint) as files,
cast(sum({{ credits }}.lines_added) as bigint) as lines_added,
cast(sum({{ credits }}.lines_deleted) as bigint) as lines_deleted
{%- endmacro %}
