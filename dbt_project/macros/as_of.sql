{#- The instant that decides what is over: a build with the same one gives the same rows. -#}
{% macro as_of() -%}
  cast('{{ var("as_of") or run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f+00:00") }}' as {{ instant_type() }})
{%- endmacro %}

{#- Microseconds of the window within which a change of mind counts nothing. -#}
{% macro window_micros() -%} {{ var('window_days') * 86400 * 1000000 }} {%- endmacro %}
