{#- Wall-clock timestamp of an instant in an IANA time zone. -#}
{% macro local_time(zone, instant) %}{{ return(spelled('local_time')(zone, instant)) }}{% endmacro %}

{% macro duckdb__local_time(zone, instant) -%} timezone({{ zone }}, {{ instant }}) {%- endmacro %}

{% macro spark__local_time(zone, instant) -%}
  convert_timezone('UTC', {{ zone }}, cast({{ instant }} as timestamp_ntz))
{%- endmacro %}

{#- Instant at which a wall-clock timestamp is reached in an IANA time zone. -#}
{% macro instant_of_local(zone, wall_clock) %}{{ return(spelled('instant_of_local')(zone, wall_clock)) }}{% endmacro %}

{% macro duckdb__instant_of_local(zone, wall_clock) -%} timezone({{ zone }}, {{ wall_clock }}) {%- endmacro %}

{% macro spark__instant_of_local(zone, wall_clock) -%}
  cast(convert_timezone({{ zone }}, 'UTC', {{ wall_clock }}) as timestamp)
{%- endmacro %}

{#- Microseconds since 1970: integers, so that windows over time have no rounding. -#}
{% macro epoch_micros(instant) %}{{ return(spelled('epoch_micros')(instant)) }}{% endmacro %}

{% macro duckdb__epoch_micros(instant) -%} epoch_us({{ instant }}) {%- endmacro %}

{% macro spark__epoch_micros(instant) -%} unix_micros({{ instant }}) {%- endmacro %}

{#- The instant of microseconds since 1970. -#}
{% macro instant_of_micros(micros) %}{{ return(spelled('instant_of_micros')(micros)) }}{% endmacro %}

{% macro duckdb__instant_of_micros(micros) -%} make_timestamptz({{ micros }}) {%- endmacro %}

{% macro spark__instant_of_micros(micros) -%} timestamp_micros({{ micros }}) {%- endmacro %}

{#- Type of an instant. -#}
{% macro instant_type() %}{{ return(spelled('instant_type')()) }}{% endmacro %}

{% macro duckdb__instant_type() -%} timestamptz {%- endmacro %}

{% macro spark__instant_type() -%} timestamp {%- endmacro %}

{#- Whole days from the first date to the second. -#}
{% macro days_between(first_date, second_date) %}
  {{- return(spelled('days_between')(first_date, second_date)) -}}
{% endmacro %}

{% macro duckdb__days_between(first_date, second_date) -%}
  datediff('day', {{ first_date }}, {{ second_date }})
{%- endmacro %}

{% macro spark__days_between(first_date, second_date) -%}
  cast(datediff({{ second_date }}, {{ first_date }}) as bigint)
{%- endmacro %}

{#- A date moved by whole days. -#}
{% macro plus_days(date, days) %}{{ return(spelled('plus_days')(date, days)) }}{% endmacro %}

{% macro duckdb__plus_days(date, days) -%} ({{ date }} + cast({{ days }} as integer)) {%- endmacro %}

{% macro spark__plus_days(date, days) -%} date_add({{ date }}, cast({{ days }} as int)) {%- endmacro %}

{#- All dates from the first to the last, as an array. -#}
{% macro all_dates(first_date, last_date) %}{{ return(spelled('all_dates')(first_date, last_date)) }}{% endmacro %}

{% macro duckdb__all_dates(first_date, last_date) -%}
  generate_series(cast({{ first_date }} as timestamp), cast({{ last_date }} as timestamp), interval '1' day)
{%- endmacro %}

{% macro spark__all_dates(first_date, last_date) -%}
  sequence({{ first_date }}, {{ last_date }}, interval '1' day)
{%- endmacro %}

{#- An instant moved by whole days of 24 hours. -#}
{% macro instant_plus_days(instant, days) %}{{ return(spelled('instant_plus_days')(instant, days)) }}{% endmacro %}

{% macro duckdb__instant_plus_days(instant, days) -%} ({{ instant }} + interval '{{ days * 24 }}' hour) {%- endmacro %}

{% macro spark__instant_plus_days(instant, days) -%} ({{ instant }} + interval '{{ days * 24 }}' hour) {%- endmacro %}

{#- Day of the week of a date: 1 for Monday to 7 for Sunday. -#}
{% macro iso_weekday(date) %}{{ return(spelled('iso_weekday')(date)) }}{% endmacro %}

{% macro duckdb__iso_weekday(date) -%} extract(isodow from {{ date }}) {%- endmacro %}

{% macro spark__iso_weekday(date) -%} extract(dow_iso from {{ date }}) {%- endmacro %}
