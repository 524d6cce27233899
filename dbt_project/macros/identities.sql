{#- The comparison form of an address: without case and white space around it. -#}
{% macro compared_address(email) -%} lower(trim({{ email }})) {%- endmacro %}

{#- Comparison form of a name: ASCII letters, no case, punctuation or single letters ("John A. Smith" = "john smith"). -#}
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

{#-
  Form of a name for suggestions: without an addition in brackets or at the end ("(EXT)", "- extern"), its words in one
  order ("Last, First"), umlauts and their spellings alike ("Müller", "Mueller", "Muller").
-#}
{% macro name_spelling(name) -%}
  {%- set bare = replaced(
    name, pattern_text("[(\\[][^)\\]]*[)\\]]|[ ,-]+(?:[Ee][Xx][Tt]|[Ee]xtern|[Ee]xternal)[.]? *$"), "' '"
  ) -%}
  {{ joined_text(distinct_of(words_of(
    "replace(replace(replace(replace(replace(" ~ compared_name(bare)
    ~ ", 'ß', 's'), 'ss', 's'), 'ae', 'a'), 'oe', 'o'), 'ue', 'u')"
  )), "' '") }}
{%- endmacro %}

{#- Comparison form of names and logins: no accents, case or outer white space. Hyphens stay: they part logins. -#}
{% macro compared_login(name) -%} lower({{ unaccented("trim(" ~ name ~ ")") }}) {%- endmacro %}

{#-
  Entered attributes of developers. For merged developers, the value under the present id applies (`place` 1), else the
  one under the smallest id. The three dates come from one id, or their order could be lost.
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
