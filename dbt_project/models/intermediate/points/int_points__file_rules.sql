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

tools as (
    select * from {{ ref('int_exclusions__tools') }}
),

duplicates as (
    select * from {{ ref('int_exclusions__duplicates') }}
),

decisions as (
    select * from {{ ref('int_exclusions__decisions') }}
),

-- Their lines were delivered, with the credit of an earlier commit of the branch.
passed_on as (
    select distinct
        birth_sha,
        path
    from {{ ref('int_points__delivered_lines') }}
    where birth_sha <> commit_sha
),

-- Their work was delivered by a squash of their branch.
squashed as (
    select
        repository_id,
        source_sha,
        squash_sha
    from {{ ref('int_commit_squash_sources') }}
    where is_first
)

select
    files.*,
    coalesce(foreign_files.sign, tools.sign) as foreign_sign,
    commits.commit_id,
    commits.delivery_sha,
    commits.commit_number,
    commits.delivered_micros,
    commits.developer_id,
    coalesce(roles.factor_micro, 1000000) as role_factor_micro,
    coalesce(
        copies.original_delivery_sha,
        duplicates.first_delivery_sha,
        case when not files.is_in_delivery then squashed.squash_sha end
    ) as duplicate_of_sha,
    case
        when roles.zero_reason is not null then roles.zero_reason
        when files.is_binary then 'BINARY'
        when files.is_generated then 'GENERATED'
        when files.is_vendored then 'VENDORED'
        when coalesce(foreign_files.sign, tools.sign) is not null and decisions.commit_sha is null then 'FOREIGN'
        when files.is_minified then 'MINIFIED'
        when
            (duplicates.path is not null and decisions.commit_sha is null)
            or (squashed.squash_sha is not null and not files.is_in_delivery)
            then 'DUPLICATE'
        when not files.is_in_delivery and commits.is_merge then 'MERGE'
        when not files.is_in_delivery and files.lines_added = 0 then 'NO_NEW_LINES'
        when not files.is_in_delivery and passed_on.path is null then 'NOT_IN_DELIVERY'
        when not files.is_in_delivery then 'NO_COUNTED_LINES'
    end as file_rule
from files
inner join commits on files.commit_sha = commits.commit_sha
left join roles on files.role = roles.role
left join decisions on files.commit_sha = decisions.commit_sha
left join foreign_files on files.commit_sha = foreign_files.commit_sha and files.path = foreign_files.path
left join tools on files.commit_sha = tools.commit_sha and files.path = tools.path
left join copies on files.commit_sha = copies.commit_sha
left join duplicates on commits.delivery_sha = duplicates.delivery_sha and files.path = duplicates.path
left join passed_on on files.commit_sha = passed_on.birth_sha and files.path = passed_on.path
left join squashed on files.repository_id = squashed.repository_id and files.commit_sha = squashed.source_sha
