{#- How many rows lack each of the columns; there must be none. One query for all: each costs dbt as much as a column. -#}
{% test never_null(model, columns) %}
select
    {%- for column in columns %}
    count(*) - count({{ column }}) as {{ column }}{{ "," if not loop.last }}
    {%- endfor %}
from {{ model }}
having {% for column in columns %}count(*) > count({{ column }}){{ " or " if not loop.last }}{% endfor %}
{% endtest %}
