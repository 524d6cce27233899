{#- Names of a tracker's items and references in texts, in one spelling, so that a link is an equality. -#}

{#- `#45` within a repository. -#}
{% macro numbered_name(repository_id, number) -%}
concat({{ repository_id }}, '#', cast({{ number }} as {{ dbt.type_string() }}))
{%- endmacro %}

{#- A whole branch name. -#}
{% macro branch_name(name) -%} concat('branch:', lower({{ name }})) {%- endmacro %}

{#-
  An address without scheme, fragment, slug and final slash. The query stays, because it names the issue in some
  trackers (`show_bug.cgi?id=5`). Asana's and Azure's numbers are unique beyond the project, which their addresses name
  in several ways. GitLab numbers issues, epics and work items of one place together.
-#}
{% macro address_name(url) -%}
{%- set plain = "lower(" ~ replaced(url, pattern_text('^https?:/+|/*(#.*)?$'), "''") ~ ")" -%}
{%- set gitlab = "replace(replace(" ~ plain ~ ", '/-/work_items/', '/-/issues/'), '/-/epics/', '/-/issues/')" -%}
{%- set asana = first_match(plain, pattern_text('^app[.]asana[.]com/.*?([0-9]+)(/f)?$'), 1) -%}
{%- set azure = first_match(plain, pattern_text('^dev[.]azure[.]com/([^/]+)/.*_workitems/edit/[0-9]+$'), 1) -%}
{%- set work_item = first_match(plain, pattern_text('/_workitems/edit/([0-9]+)$'), 1) -%}
{%- set keyed = first_match(plain, pattern_text('^(.*/issue/[a-z][a-z0-9_]*-[0-9]+)/.*$'), 1) -%}
case
    when {{ asana }} <> '' then concat('asana:', {{ asana }})
    when {{ azure }} <> '' then concat('azure:', {{ azure }}, '#', {{ work_item }})
    when {{ keyed }} <> '' then {{ keyed }}
    else {{ gitlab }}
end
{%- endmacro %}

{#- A reference of git.references. -#}
{% macro reference_name(shape, target, repository_id) -%}
case
    when {{ shape }} in ('number', 'gh') then {{ numbered_name(repository_id, target) }}
    when {{ shape }} = 'ab' then concat('ab#', {{ target }})
    when {{ shape }} = 'url' then {{ address_name(target) }}
    else lower({{ target }})
end
{%- endmacro %}

{#-
  Of the first `units` millionths of a commit, those of its issue with this place, from 1. The millionths go to the
  issues in turn, so the shares of a commit differ by at most one, and they add up exactly over issues, people and
  categories.
-#}
{% macro issue_units(units, issue_count, place) -%}
{{ whole_ratio(units ~ ' + ' ~ issue_count ~ ' - ' ~ place, issue_count) }}
{%- endmacro %}

{#- Of the first `units` millionths, those of the first `chosen` issues. -#}
{% macro units_of_first(units, issue_count, chosen) -%}
{{ whole_ratio(units, issue_count) }} * {{ chosen }} + least(({{ units }}) % {{ issue_count }}, {{ chosen }})
{%- endmacro %}

{#- Millionths of a commit up to and with a row of fct_commit_credits. -#}
{% macro etv_until(rows='') -%}
sum({{ rows }}etv_micro) over (
    partition by {{ rows }}commit_sha
    order by {{ rows }}developer_id, {{ rows }}category
    rows between unbounded preceding and current row
)
{%- endmacro %}

{#- A query of issues and objectives as items: a link names either. -#}
{% macro linked_items() -%}
{%- for relation, id in [('fct_issues', 'issue_id'), ('dim_objectives', 'objective_id')] %}
    select
        {{ id }} as item_id,
        key,
        title,
        type_name,
        status_category,
        url
    from {{ ref(relation) }}
    {{- '\n    union all' if not loop.last }}
{%- endfor %}
{%- endmacro %}
