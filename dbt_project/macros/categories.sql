{#- The five categories of work, in the order in which they are shown. `api.control.categories` says the same to Python. -#}
{% macro categories() -%}
{{ return(['features', 'maintenance', 'tests', 'documentation', 'fixes']) }}
{%- endmacro %}

{#- A bit for each category: 1 for the first, 2 for the second and so on; 0 for anything else. -#}
{% macro category_bit(category) -%}
case {{ category }}
    {%- for name in categories() %} when '{{ name }}' then {{ 2 ** loop.index0 }}{% endfor %} else 0
end
{%- endmacro %}

{#- A category as a commit is called by it: "bug fix", "feature". -#}
{% macro category_label(category) -%}
case {{ category }} when 'features' then 'feature' when 'fixes' then 'bug fix' else {{ category }} end
{%- endmacro %}
