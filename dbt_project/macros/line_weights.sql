{#-
  Weight in micro-points of a line of a class, tokens and rank. `weights` is int_points__weights, cross-joined: its
  arrays spare a join of every histogram entry, which at five million file changes would not fit into memory.
-#}
{% macro line_weight(weights, class, tokens, rank) -%}
  {{ element_of(
    weights ~ '.weights',
    '(' ~ position_in(weights ~ '.classes', class) ~ ' - 1) * ' ~ weights ~ '.weights_per_class + '
    ~ tokens ~ ' * ' ~ weights ~ '.ranks + ' ~ rank
  ) }}
{%- endmacro %}

{#-
  The weight of a line of a source file, which counts as much as in a file of tests where it is `in_test`. Few lines are,
  and the look-up of the weight is long: only they are multiplied and rounded.
-#}
{% macro weight_with_tests(weight, in_test, weights) -%}
  case
    when {{ in_test }}
      then {{ whole_ratio('2 * ' ~ weight ~ ' * ' ~ weights ~ '.test_factor_micro + 1000000', '2000000') }}
    else {{ weight }}
  end
{%- endmacro %}

{#-
  Number of the removed lines of a histogram's entry that count, where it is neither recent nor a revert. What earned less
  than a removed line does, such as the same comment in every file, is not worth more as it goes.
-#}
{% macro removed_lines_that_count(line, weights) -%}
  case
    when
      {{ line }}.has_token_gone and not {{ line }}.is_alive_elsewhere and greatest(
        {{ line_weight(weights, line ~ '.class', line ~ '.tokens', line ~ '.rank') }},
        {{ line_weight(weights, line ~ '.class', line ~ '.own_tokens', line ~ '.rank') }}
      ) >= {{ var('removal_rest_weight_micro') }}
      then {{ line }}.lines
    else 0
  end
{%- endmacro %}

{#- True where no line of the file can count, for any author. -#}
{% macro is_worthless_file(file) -%}
  ({{ file }}.is_binary or {{ file }}.is_generated or {{ file }}.is_vendored or {{ file }}.is_minified)
{%- endmacro %}

{#-
  One row per entry of the histograms of `delivered` (rows of int_points__delivered_lines), with the weight of a line.
  A line that gets its credit back has the weight of its first class. A line that replaces recent lines of its own
  developer counts as if these had never been written.
-#}
{% macro weighed_lines(delivered) %}
select
    entries.commit_sha,
    entries.path,
    entries.previous_path,
    entries.status,
    entries.language,
    entries.role,
    entries.is_binary,
    entries.is_generated,
    entries.is_vendored,
    entries.is_minified,
    entries.birth_sha,
    entries.copied_from,
    entries.is_restored,
    entries.line.class as class,
    entries.line.original_class as original_class,
    entries.line.tokens as tokens,
    entries.line.own_tokens as own_tokens,
    entries.line.rank as rank,
    entries.line.in_test as in_test,
    cast(entries.line.lines as bigint) as lines,
    cast({{ weight_with_tests('weights.weight_micro', 'entries.line.in_test', 'factors') }} as bigint) as weight_micro
from (
    select
        commit_sha,
        path,
        previous_path,
        status,
        language,
        role,
        is_binary,
        is_generated,
        is_vendored,
        is_minified,
        birth_sha,
        copied_from,
        is_restored,
        has_own_tokens,
        {{ each('lines') }} as line
    from {{ delivered }}
) as entries
inner join {{ ref('line_weights') }} as weights
    on
        case when entries.is_restored then entries.line.original_class else entries.line.class end = weights.class
        and case when entries.has_own_tokens then entries.line.own_tokens else entries.line.tokens end = weights.tokens
        and entries.line.rank = weights.rank
cross join {{ ref('int_points__weights') }} as factors
{% endmacro %}
