{#- Length of the path to the first folder with a name above a file, with its slash; 0 where none has the name. -#}
{% macro length_above(path, name) -%}
case
    when position(concat('/', {{ name }}, '/') in concat('/', lower({{ path }}))) > 0
        then position(concat('/', {{ name }}, '/') in concat('/', lower({{ path }}))) + length({{ name }})
    else 0
end
{%- endmacro %}
