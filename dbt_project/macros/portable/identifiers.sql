{#- A 64-bit hash of some columns, for finding rows that may be equal: eight bytes where their texts have a hundred. -#}
{% macro hashed(columns) %}{{ return(spelled('hashed')(columns)) }}{% endmacro %}

{% macro duckdb__hashed(columns) -%} hash({{ columns | join(', ') }}) {%- endmacro %}

{% macro spark__hashed(columns) -%} xxhash64({{ columns | join(', ') }}) {%- endmacro %}

{#-
  UUIDv5 of the organization and a natural key, in two steps because the digest is read many times:
  `uuid5_digest` in one step, `uuid5_of_digest` in the next.
-#}
{% macro uuid5_digest(organization, name) %}{{ return(spelled('uuid5_digest')(organization, name)) }}{% endmacro %}

{% macro duckdb__uuid5_digest(organization, name) -%}
  sha1(unhex(replace({{ organization }}, '-', '')) || encode({{ name }}))
{%- endmacro %}

{% macro spark__uuid5_digest(organization, name) -%}
  sha1(concat(unhex(replace({{ organization }}, '-', '')), encode({{ name }}, 'UTF-8')))
{%- endmacro %}

{% macro uuid5_of_digest(digest) -%}
  concat(
    substr({{ digest }}, 1, 8), '-',
    substr({{ digest }}, 9, 4), '-5',
    substr({{ digest }}, 14, 3), '-',
    translate(substr({{ digest }}, 17, 1), '0123456789abcdef', '89ab89ab89ab89ab'),
    substr({{ digest }}, 18, 3), '-',
    substr({{ digest }}, 21, 12)
  )
{%- endmacro %}
