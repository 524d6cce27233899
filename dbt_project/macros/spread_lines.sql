{#-
  Divides lines among commits that have lines of the same kind (class, tokens, own tokens, rank and test) in the same group.
  `lines` has the lines to divide by group, kind and path; `holders` has the commits with their lines. A holder with
  the path of the lines comes first, up to its own lines, unless its `is_elsewhere` is true. The rest goes to the
  remaining lines of the others, in the `order`. The CTE `spread` has the rows of `holders` with the number of divided
  lines.
-#}
{% macro spread_lines(lines, holders, group, order, is_elsewhere) %}
{%- set kind = group + ['class', 'tokens', 'own_tokens', 'rank', 'in_test'] -%}
{%- set kind_list = kind | join(', ') -%}
spread_totals as (
    select
        {{ kind_list }},
        cast(sum(lines) as bigint) as lines
    from {{ lines }}
    group by {{ kind_list }}
),

in_place as (
    select
        holders.*,
        totals.lines as all_lines,
        {%- if is_elsewhere %}
        case when holders.{{ is_elsewhere }} then 0 else least(holders.lines, coalesce(given.lines, 0)) end as lines_in_place
        {%- else %}
        least(holders.lines, coalesce(given.lines, 0)) as lines_in_place
        {%- endif %}
    from {{ holders }} as holders
    inner join spread_totals as totals
        on {% for column in kind %}holders.{{ column }} = totals.{{ column }}{{ " and " if not loop.last }}{% endfor %}
    left join {{ lines }} as given
        on
            {% for column in kind %}holders.{{ column }} = given.{{ column }} and {% endfor %}holders.path = given.path
),

placed as (
    select
        *,
        lines - lines_in_place as room,
        all_lines - sum(lines_in_place) over (partition by {{ kind_list }}) as left_over
    from in_place
),

roomy as (
    select
        *,
        coalesce(sum(room) over (
            partition by {{ kind_list }} order by {{ order | join(', ') }}
            rows between unbounded preceding and 1 preceding
        ), 0) as room_before
    from placed
),

spread as (
    select
        *,
        cast(lines_in_place + greatest(0, least(room, left_over - room_before)) as bigint) as divided_lines
    from roomy
)
{%- endmacro %}
