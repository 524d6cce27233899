{#-
  Deaths of lines in the repository where the removing commit counts, and whether its developer wrote them within the
  window.
-#}
{% macro deaths_by_developer() -%}
select
    deaths.*,
    -- A line that was first written in another repository is charged to nobody, because it may still stand there.
    coalesce(
        birth.repository_id = remover.repository_id
        and birth.developer_id = remover.developer_id
        and remover.delivered_micros - birth.delivered_micros <= {{ window_micros() }},
        false
    ) as is_own_fresh
from {{ ref('stg_git__line_deaths') }} as deaths
inner join {{ ref('int_delivered_commits') }} as remover
    on deaths.remover_sha = remover.commit_sha and deaths.repository_id = remover.repository_id
left join {{ ref('int_delivered_commits') }} as birth on deaths.birth_sha = birth.commit_sha
{%- endmacro %}
