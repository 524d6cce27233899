{#- The comparison form of an address: without case and white space around it. -#}
{% macro compared_address(email) -%} lower(trim({{ email }})) {%- endmacro %}

{#- The comparison form of a name: ASCII letters, no case, no punctuation, no single letters ("John A. Smith" = "john smith"). -#}
{% macro compared_name(name) -%}
  trim({{ replaced(
    replaced(
      replaced(
        "lower(translate(" ~ unaccented("trim(" ~ name ~ ")") ~ ", 'øØłŁđĐıæÆœŒ', 'oOlLdDiaAoO'))",
        pattern_text("[^\\p{L}\\p{N}\\[\\]]+"), "' '"
      ),
      pattern_text("(^| )(\\p{L} )+"), "' '"
    ),
    pattern_text(" +\\p{L}?$| +"), "' '"
  ) }})
{%- endmacro %}

{#- Comparison form of names and logins: no accents, case or outer white space. Hyphens stay: they part logins. -#}
{% macro compared_login(name) -%} lower({{ unaccented("trim(" ~ name ~ ")") }}) {%- endmacro %}

{#-
  What was said about developers, by attribute. Of several people who turned out to be one, what was said under the id that
  the developer has now holds (`place` 1), else what was said under the smallest. The three dates go together, or the order
  between them could be lost.
-#}
{% macro said_of_developers() -%}
select
    known.developer_id,
    attributes.attribute,
    attributes.value,
    dense_rank() over (
        partition by
            known.developer_id,
            case
                when attributes.attribute in ('joining_date', 'probation_end_date', 'leaving_date') then 'dates'
                else attributes.attribute
            end
        order by case when known.known_developer_id = known.developer_id then 0 else 1 end, known.known_developer_id
    ) as place
from {{ ref('stg_control__developer_attributes') }} as attributes
inner join {{ ref('int_identity__known_ids') }} as known on attributes.developer_id = known.known_developer_id
{%- endmacro %}
