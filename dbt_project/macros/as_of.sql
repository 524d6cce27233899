{#- The instant that decides which periods are complete. Two builds with the same instant give the same rows. -#}
{% macro as_of() -%}
  cast('{{ var("as_of") or run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f+00:00") }}' as {{ instant_type() }})
{%- endmacro %}

{#- Microseconds of the window within which a developer earns nothing extra for rewriting their own lines. -#}
{% macro window_micros() -%} {{ var('window_days') * 86400 * 1000000 }} {%- endmacro %}
