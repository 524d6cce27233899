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

{#-
  CTEs of removed lines that may count, which end with `deaths`. `is_foreign` tells which of them came with a file from
  another project, with its new version, or in a change of lines that a known library had published. Such lines did not
  count, so their removal does not either. They count where a person decided so.
-#}
{% macro eligible_deaths() -%}
brought as (
    select
        commit_sha,
        path
    from {{ ref('int_exclusions__foreign_arrivals') }}
    union distinct
    select
        commit_sha,
        path
    from {{ ref('int_exclusions__foreign_updates') }}
    union distinct
    select
        commit_sha,
        path
    from {{ ref('int_exclusions__published_files') }}
),

decisions as (
    select * from {{ ref('int_exclusions__decisions') }}
),

foreign_files as (
    select
        brought.commit_sha,
        brought.path
    from brought
    left join decisions on brought.commit_sha = decisions.commit_sha
    where decisions.commit_sha is null or decisions.is_excluded
),

deaths as (
    select
        dead.*,
        foreign_files.path is not null as is_foreign
    from {{ ref('int_points__deaths') }} as dead
    left join foreign_files on dead.birth_sha = foreign_files.commit_sha and dead.path = foreign_files.path
    where dead.may_be_eligible
),
{%- endmacro %}
