{#-
  Terms of the category model for the size of a part of a change. A term explains itself: people read "161 to 320 new
  lines", and the model has the ninth of twelve sizes.
-#}

{#- The size of a count, as text. `edges` ascend; a size ends with its edge. -#}
{% macro count_size(value, edges) -%}
  case
    when {{ value }} > {{ edges | last }} then 'over {{ edges | last }}'
    {%- for number in range(edges | length - 1, 0, -1) %}
    when {{ value }} > {{ edges[number - 1] }} then '
      {%- if edges[number - 1] + 1 == edges[number] -%} {{ edges[number] }}
      {%- else -%} {{ edges[number - 1] + 1 }} to {{ edges[number] }}
      {%- endif -%} '
    {%- endfor %}
    else '{{ 'no' if edges[0] == 0 else '1' if edges[0] == 1 else 'up to ' ~ edges[0] }}'
  end
{%- endmacro %}

{#- The size of a part of a whole, as text. `edges` ascend, in thousandths; a whole of nothing has no size. -#}
{% macro share_size(part, whole, edges) -%}
  case
    when {{ whole }} = 0 then 'nothing'
    {%- for edge in edges | reverse %}
    when {{ part }} * 1000 > {{ edge }} * {{ whole }} then 'over {{ (edge / 10) | round(1) | string | replace('.0', '') }} %'
    {%- endfor %}
    else '{{ 'none' if edges[0] == 0 else 'up to ' ~ ((edges[0] / 10) | round(1) | string | replace('.0', '')) ~ ' %' }}'
  end
{%- endmacro %}

{% macro count_term(what, value, edges) -%}
  concat('change:{{ what }}: ', {{ count_size(value, edges) }})
{%- endmacro %}

{% macro share_term(what, part, whole, edges) -%}
  concat('change:{{ what }}: ', {{ share_size(part, whole, edges) }})
{%- endmacro %}

{#- The word and the property of the change with the largest weights, in words for people. -#}
{% macro category_evidence(word, change) -%}
  coalesce({{ joined_text(chosen(array_of([
    "case split_part(" ~ word ~ ", ':', 1)
        when 'first' then concat('\"', substr(" ~ word ~ ", 7), '\" is the first word')
        when 'subject' then concat('\"', substr(" ~ word ~ ", 9), '\" in the subject')
        when 'body' then case
            when " ~ word ~ " = 'body:' then 'no body'
            else concat('\"', substr(" ~ word ~ ", 6), '\" in the body')
        end
    end",
    "substr(" ~ change ~ ", 8)",
  ]), 'part', "part is not null"), "'; '") }}, '')
{%- endmacro %}
