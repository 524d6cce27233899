{{ config(materialized='view') }}
-- The category of each file change: what people decided comes before what the path and the content say, and that before
-- the intent of the commit.

with files as (
    select * from {{ ref('int_points__counted') }}
),

roles as (
    select * from {{ ref('role_factors') }}
),

commits as (
    select * from {{ ref('int_categories__commits') }}
),

decisions as (
    select
        known.commit_sha,
        decided.category
    from {{ ref('stg_control__commit_categories') }} as decided
    inner join {{ ref('int_commits') }} as known on decided.commit_id = known.commit_id
),

judged as (
    select
        files.*,
        decisions.category as decided_category,
        roles.category as role_category,
        commits.category as commit_category,
        commits.method as commit_method,
        commits.confidence as commit_confidence,
        commits.evidence as commit_evidence,
        case
            when decisions.category is not null then 'decided'
            when roles.category is not null then 'role'
            when files.is_generated or files.is_vendored or files.is_minified then 'not_written_here'
            when
                files.novel_lines + files.substituted_lines + files.removed_lines + files.changed_code_lines = 0
                and files.comment_lines + files.changed_comment_lines > 0
                then 'comments_only'
            when files.status = 'R' and files.novel_lines + files.removed_lines = 0 then 'renamed_file'
            when files.substituted_lines > 0 and files.novel_lines = 0 then 'renamed_names'
            when
                files.is_in_delivery
                and files.delivered_lines > 0
                and files.delivered_lines = files.layout_lines + files.moved_lines
                and files.removed_lines = 0
                then 'formatting'
            else 'intent'
        end as category_rule
    from files
    left join roles on files.role = roles.role
    left join commits on files.commit_sha = commits.commit_sha
    left join decisions on files.commit_sha = decisions.commit_sha
)

select
    judged.*,
    case category_rule
        when 'decided' then decided_category
        when 'role' then role_category
        when 'comments_only' then 'documentation'
        when 'intent' then coalesce(commit_category, 'maintenance')
        else 'maintenance'
    end as category,
    case category_rule
        when 'decided' then 'decided'
        when 'role' then 'path'
        when 'intent' then coalesce(commit_method, 'default')
        else 'content'
    end as category_method,
    case category_rule
        when 'decided' then 1.0
        when 'intent' then coalesce(commit_confidence, 0.5)
        when 'role' then 0.98
        else 0.95
    end as category_confidence,
    case category_rule
        when 'role' then role
        when 'intent' then coalesce(commit_evidence, 'nothing tells')
        else category_rule
    end as category_evidence
from judged
