{{ config(materialized='view') }}
-- Removed lines that may count, and which of them came with a file from another project or with its new version. Such lines
-- did not count, so their removal does not either. They count where a person decided so.

with deaths as (
    select * from {{ ref('int_points__deaths') }}
    where may_be_eligible
),

arrivals as (
    select
        commit_sha,
        path
    from {{ ref('int_exclusions__foreign_arrivals') }}
),

updates as (
    select
        commit_sha,
        path
    from {{ ref('int_exclusions__foreign_updates') }}
),

brought as (
    select * from arrivals
    union distinct
    select * from updates
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
)

select
    deaths.repository_id,
    deaths.delivery_sha,
    deaths.remover_sha,
    deaths.birth_sha,
    deaths.path,
    deaths.language,
    deaths.role,
    deaths.lines,
    deaths.eligible_lines,
    deaths.eligible_test_lines,
    foreign_files.path is not null as is_foreign
from deaths
left join foreign_files on deaths.birth_sha = foreign_files.commit_sha and deaths.path = foreign_files.path
