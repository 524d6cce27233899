{{ config(materialized='view') }}
-- A view, because its lists are the largest thing in the warehouse: each reader takes the columns that it needs.

with lines as (
    select * from {{ ref('stg_git__delivered_lines') }}
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

-- Removals that took the credit of their lines back. Lines that return after such a removal get the credit again.
taken_back as (
    select distinct
        remover_sha,
        birth_sha
    from {{ ref('int_points__fresh_deaths') }}
),

own_replacements as (
    select * from {{ ref('int_points__own_replacements') }}
),

own_replacers as (
    select distinct commit_sha
    from {{ ref('int_points__own_replacements') }}
)

select
    lines.repository_id,
    lines.delivery_sha,
    lines.credited_sha as commit_sha,
    lines.path,
    lines.previous_path,
    lines.status,
    lines.language,
    lines.role,
    lines.is_binary,
    lines.is_generated,
    lines.is_vendored,
    lines.is_minified,
    lines.content_hash,
    lines.novel_lines,
    lines.birth_sha,
    lines.removal_sha,
    lines.replaced_sha,
    lines.copied_from,
    lines.lines,
    taken_back.birth_sha is not null as is_restored,
    -- A restored line weighs as much as at its birth.
    case
        when taken_back.birth_sha is not null then own_replacers.commit_sha is not null
        else own_replacements.replaced_sha is not null
    end as has_own_tokens
from lines
inner join commits
    on lines.credited_sha = commits.commit_sha and lines.repository_id = commits.repository_id
left join taken_back on lines.removal_sha = taken_back.remover_sha and lines.birth_sha = taken_back.birth_sha
left join own_replacements
    on lines.credited_sha = own_replacements.commit_sha and lines.replaced_sha = own_replacements.replaced_sha
left join own_replacers on lines.birth_sha = own_replacers.commit_sha
