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

origins as (
    select * from {{ ref('int_files__origins') }}
),

numbers as (
    select
        commit_sha,
        repository_id,
        delivery_number
    from {{ ref('int_delivered_commits') }}
),

-- A file stays foreign under another name.
foreign_files as (
    select distinct
        brought.commit_sha,
        coalesce(origins.original_path, brought.path) as original_path
    from brought
    left join decisions on brought.commit_sha = decisions.commit_sha
    left join numbers on brought.commit_sha = numbers.commit_sha
    left join origins
        on
            numbers.repository_id = origins.repository_id
            and brought.path = origins.path
            and numbers.delivery_number >= origins.from_delivery
            and numbers.delivery_number < origins.before_delivery
    where decisions.commit_sha is null or decisions.is_excluded
),

-- The name before the delivery.
deaths as (
    select
        dead.*,
        foreign_files.original_path is not null as is_foreign
    from {{ ref('int_points__deaths') }} as dead
    left join numbers on dead.remover_sha = numbers.commit_sha and dead.repository_id = numbers.repository_id
    left join origins
        on
            dead.repository_id = origins.repository_id
            and dead.path = origins.path
            and numbers.delivery_number > origins.from_delivery
            and numbers.delivery_number <= origins.before_delivery
    left join foreign_files
        on
            dead.birth_sha = foreign_files.commit_sha
            and coalesce(origins.original_path, dead.path) = foreign_files.original_path
    where dead.may_be_eligible
),
{%- endmacro %}
