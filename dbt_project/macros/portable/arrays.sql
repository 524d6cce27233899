{#- One row per element; stands in the select list. -#}
{% macro each(array) %}{{ return(spelled('each')(array)) }}{% endmacro %}

{% macro duckdb__each(array) -%} unnest({{ array }}) {%- endmacro %}

{% macro spark__each(array) -%} explode({{ array }}) {%- endmacro %}

{#- One row per element with its number, from 1; stands in the select list. -#}
{% macro each_numbered(array, number, element) %}
  {{- return(spelled('each_numbered')(array, number, element)) -}}
{% endmacro %}

{% macro duckdb__each_numbered(array, number, element) -%}
  unnest(range(1, len({{ array }}) + 1)) as {{ number }}, unnest({{ array }}) as {{ element }}
{%- endmacro %}

{% macro spark__each_numbered(array, number, element) -%}
  inline(transform({{ array }}, (element, place) -> named_struct('place', place + 1, 'element', element)))
    as ({{ number }}, {{ element }})
{%- endmacro %}

{#- Aggregate: the values of a group in ascending order, nulls left out. -#}
{% macro collected(value, condition=none) %}{{ return(spelled('collected')(value, condition)) }}{% endmacro %}

{% macro duckdb__collected(value, condition) -%}
  coalesce(
    list_sort(list({{ value }}) filter (where {{ value }} is not null {% if condition %}and {{ condition }}{% endif %})),
    []
  )
{%- endmacro %}

{% macro spark__collected(value, condition) -%}
  array_sort(collect_list({{ value }}) {% if condition %}filter (where {{ condition }}){% endif %})
{%- endmacro %}

{#- Aggregate: the distinct values of a group in ascending order, nulls left out. -#}
{% macro collected_distinct(value, condition=none) %}
  {{- return(spelled('collected_distinct')(value, condition)) -}}
{% endmacro %}

{% macro duckdb__collected_distinct(value, condition) -%}
  coalesce(
    list_sort(
      list(distinct {{ value }}) filter (where {{ value }} is not null {% if condition %}and {{ condition }}{% endif %})
    ),
    []
  )
{%- endmacro %}

{% macro spark__collected_distinct(value, condition) -%}
  array_sort(collect_set({{ value }}) {% if condition %}filter (where {{ condition }}){% endif %})
{%- endmacro %}

{#- Each element of an array turned into `expression`, in which `element` stands for it. -#}
{% macro mapped(array, element, expression) %}{{ return(spelled('mapped')(array, element, expression)) }}{% endmacro %}

{% macro duckdb__mapped(array, element, expression) -%}
  list_transform({{ array }}, lambda {{ element }}: {{ expression }})
{%- endmacro %}

{% macro spark__mapped(array, element, expression) -%} transform({{ array }}, {{ element }} -> {{ expression }}) {%- endmacro %}

{#- The arrays of an array in one array. -#}
{% macro flattened(array) -%} flatten({{ array }}) {%- endmacro %}

{#- Element by number, from 1; null outside. -#}
{% macro element_of(array, number) %}{{ return(spelled('element_of')(array, number)) }}{% endmacro %}

{% macro duckdb__element_of(array, number) -%} list_extract({{ array }}, {{ number }}) {%- endmacro %}

{% macro spark__element_of(array, number) -%} try_element_at({{ array }}, cast({{ number }} as int)) {%- endmacro %}

{#- Number of elements. -#}
{% macro size_of(array) %}{{ return(spelled('size_of')(array)) }}{% endmacro %}

{% macro duckdb__size_of(array) -%} len({{ array }}) {%- endmacro %}

{% macro spark__size_of(array) -%} size({{ array }}) {%- endmacro %}

{#- The array without repetitions, in ascending order. -#}
{% macro distinct_of(array) %}{{ return(spelled('distinct_of')(array)) }}{% endmacro %}

{% macro duckdb__distinct_of(array) -%} list_sort(list_distinct({{ array }})) {%- endmacro %}

{% macro spark__distinct_of(array) -%} array_sort(array_distinct({{ array }})) {%- endmacro %}

{#- Elements as one text. -#}
{% macro joined_text(array, separator) %}{{ return(spelled('joined_text')(array, separator)) }}{% endmacro %}

{% macro duckdb__joined_text(array, separator) -%} array_to_string({{ array }}, {{ separator }}) {%- endmacro %}

{% macro spark__joined_text(array, separator) -%} array_join({{ array }}, {{ separator }}) {%- endmacro %}

{#- A struct from a mapping of field names to expressions. -#}
{% macro struct_of(fields) %}{{ return(spelled('struct_of')(fields)) }}{% endmacro %}

{% macro duckdb__struct_of(fields) -%}
  struct_pack({% for name, value in fields.items() %}{{ name }} := {{ value }}{{ ', ' if not loop.last }}{% endfor %})
{%- endmacro %}

{% macro spark__struct_of(fields) -%}
  named_struct({% for name, value in fields.items() %}'{{ name }}', {{ value }}{{ ', ' if not loop.last }}{% endfor %})
{%- endmacro %}

{#- An array of the given expressions. -#}
{% macro array_of(values) %}{{ return(spelled('array_of')(values)) }}{% endmacro %}

{% macro duckdb__array_of(values) -%} [{{ values | join(', ') }}] {%- endmacro %}

{% macro spark__array_of(values) -%} array({{ values | join(', ') }}) {%- endmacro %}

{#- The elements of two arrays, the first one's first; null stands for none. -#}
{% macro appended(first_array, second_array) %}{{ return(spelled('appended')(first_array, second_array)) }}{% endmacro %}

{% macro duckdb__appended(first_array, second_array) -%} list_concat({{ first_array }}, {{ second_array }}) {%- endmacro %}

{% macro spark__appended(first_array, second_array) -%}
  concat(coalesce({{ first_array }}, array()), coalesce({{ second_array }}, array()))
{%- endmacro %}

{#- Sum of an array of integers, 0 when empty. -#}
{% macro total_of(array) %}{{ return(spelled('total_of')(array)) }}{% endmacro %}

{% macro duckdb__total_of(array) -%} cast(coalesce(list_sum({{ array }}), 0) as bigint) {%- endmacro %}

{% macro spark__total_of(array) -%}
  aggregate({{ array }}, cast(0 as bigint), (total, element) -> total + element)
{%- endmacro %}

{#- Position of a value in an array, from 1; 0 or null where it is missing. -#}
{% macro position_in(array, value) -%} array_position({{ array }}, {{ value }}) {%- endmacro %}

{#- Neighbouring elements of an array of texts, as texts with a space between them. -#}
{% macro neighbours_of(array) %}{{ return(spelled('neighbours_of')(array)) }}{% endmacro %}

{% macro duckdb__neighbours_of(array) -%}
  list_transform(
    range(1, len({{ array }})), lambda number: concat({{ array }}[number], ' ', {{ array }}[number + 1])
  )
{%- endmacro %}

{% macro spark__neighbours_of(array) -%}
  transform(
    slice({{ array }}, 2, size({{ array }})),
    (element, number) -> concat(element_at({{ array }}, number + 1), ' ', element)
  )
{%- endmacro %}

{#- The elements of an array for which `condition` holds, in which `element` stands for them. -#}
{% macro chosen(array, element, condition) %}{{ return(spelled('chosen')(array, element, condition)) }}{% endmacro %}

{% macro duckdb__chosen(array, element, condition) -%}
  list_filter({{ array }}, lambda {{ element }}: {{ condition }})
{%- endmacro %}

{% macro spark__chosen(array, element, condition) -%} filter({{ array }}, {{ element }} -> {{ condition }}) {%- endmacro %}

{#- Aggregate: the values of a group in the order of a text. -#}
{% macro collected_in_order(value, position) %}{{ return(spelled('collected_in_order')(value, position)) }}{% endmacro %}

{#- An aggregate with an order sorts each group by itself, three times slower than sorting its array. -#}
{% macro duckdb__collected_in_order(value, position) -%}
  list_transform(
    list_sort(list(struct_pack(place := {{ position }}, value := {{ value }}))), lambda element: element.value
  )
{%- endmacro %}

{% macro spark__collected_in_order(value, position) -%}
  transform(
    array_sort(collect_list(named_struct('position', {{ position }}, 'value', {{ value }}))), element -> element.value
  )
{%- endmacro %}
