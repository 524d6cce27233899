{#- Repositories at known hosts, with the beginning of the addresses of their commits' pages. -#}
{% macro commit_pages() -%}
select
        repositories.repository_id,
        min(concat(commit_hosts.before_repository, repositories.origin, commit_hosts.before_sha)) as commit_page
    from {{ ref('int_repositories') }} as repositories
    inner join {{ ref('commit_hosts') }} as commit_hosts
        on {{ first_match('repositories.origin', pattern_text('^([^/:]+)/'), 1) }} like commit_hosts.host_pattern
    group by repositories.repository_id
{%- endmacro %}
