{{ config(materialized='view') }}
-- The points of a change of a file, and the rule of the file by which they do not count. A reason of the whole commit comes
-- before it (fct_commit_files).

with files as (
    select * from {{ ref('int_files') }}
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

roles as (
    select * from {{ ref('role_factors') }}
),

copies as (
    select * from {{ ref('int_exclusions__copied_commits') }}
),

foreign_files as (
    select * from {{ ref('int_exclusions__foreign_files') }}
),

duplicates as (
    select * from {{ ref('int_exclusions__duplicates') }}
),

decisions as (
    select * from {{ ref('int_exclusions__decisions') }}
)

select
    files.*,
    foreign_files.sign as foreign_sign,
    commits.commit_id,
    commits.delivery_sha,
    commits.commit_number,
    commits.delivered_micros,
    commits.developer_id,
    coalesce(roles.factor_micro, 1000000) as role_factor_micro,
    coalesce(copies.original_delivery_sha, duplicates.first_delivery_sha) as duplicate_of_sha,
    case
        when roles.zero_reason is not null then roles.zero_reason
        when files.is_binary then 'BINARY'
        when files.is_generated then 'GENERATED'
        when files.is_vendored then 'VENDORED'
        when foreign_files.path is not null and decisions.commit_sha is null then 'FOREIGN'
        when files.is_minified then 'MINIFIED'
        when duplicates.path is not null and decisions.commit_sha is null then 'DUPLICATE'
        when not files.is_in_delivery and commits.is_merge then 'MERGE'
        when not files.is_in_delivery and files.lines_added = 0 then 'NO_NEW_LINES'
        when not files.is_in_delivery then 'NOT_IN_DELIVERY'
    end as file_rule
from files
inner join commits on files.commit_sha = commits.commit_sha
left join roles on files.role = roles.role
left join decisions on files.commit_sha = decisions.commit_sha
left join foreign_files on files.commit_sha = foreign_files.commit_sha and files.path = foreign_files.path
left join copies on files.commit_sha = copies.commit_sha
left join duplicates on commits.delivery_sha = duplicates.delivery_sha and files.path = duplicates.path
