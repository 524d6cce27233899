{{ config(materialized='view') }}
-- The kind of a commit: the type that its author declares, else what the model makes of message and change. A declared
-- chore or refactoring that reads as a feature with enough certainty is one, and says so.

with types as (
    select * from {{ ref('int_categories__commit_types') }}
),

intents as (
    select * from {{ ref('int_categories__intents') }}
),

compared as (
    select
        coalesce(types.commit_sha, intents.commit_sha) as commit_sha,
        types.type,
        types.category as declared_category,
        intents.category,
        intents.confidence,
        intents.evidence,
        intents.features_probability,
        intents.maintenance_probability,
        intents.fixes_probability,
        case
            when types.commit_sha is null then 'model'
            when types.is_overrulable and intents.features_probability >= {{ var('category_overruled_at') }}
                then 'overruled_type'
            else 'declared_type'
        end as method
    from types
    full outer join intents on types.commit_sha = intents.commit_sha
)

select
    commit_sha,
    case method
        when 'declared_type' then declared_category
        when 'overruled_type' then 'features'
        else category
    end as category,
    method,
    case method
        when 'declared_type' then cast({{ var('declared_type_confidence') }} as double)
        when 'overruled_type' then round(features_probability, 2)
        else confidence
    end as confidence,
    case method
        when 'declared_type' then type
        when 'overruled_type' then concat('declared ', type, ', but ', evidence)
        else evidence
    end as evidence,
    case when method <> 'declared_type' then features_probability end as features_probability,
    case when method <> 'declared_type' then maintenance_probability end as maintenance_probability,
    case when method <> 'declared_type' then fixes_probability end as fixes_probability
from compared
