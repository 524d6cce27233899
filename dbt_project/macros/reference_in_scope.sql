{# The reference of a commit, pull request or issue as its readers need it: with the name of the repository where the scope
   has others too. `repositories` are rows of `named_repositories`; issues have none. #}
{% macro reference_in_scope(scope_kind, subject_type, reference, repositories) -%}
case
    when {{ scope_kind }} = 'REPOSITORY' or {{ repositories }}.all_repositories = 1 then {{ reference }}
    when lower({{ subject_type }}) = 'commit' then concat({{ repositories }}.name, '@', {{ reference }})
    when lower({{ subject_type }}) = 'pull_request' then concat({{ repositories }}.name, {{ reference }})
    else {{ reference }}
end
{%- endmacro %}

{% macro named_repositories() -%}
select
        repository_id,
        name,
        count(*) over () as all_repositories
    from {{ ref('int_repositories') }}
    where not is_excluded
{%- endmacro %}
