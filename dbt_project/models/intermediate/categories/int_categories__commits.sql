{{ config(materialized='view') }}
-- The kind that a commit's own words tell: the type that it declares, else what the model makes of its message.

with types as (
    select * from {{ ref('int_categories__commit_types') }}
),

messages as (
    select * from {{ ref('int_categories__messages') }}
)

select
    commit_sha,
    category,
    'declared_type' as method,
    cast(0.9 as double) as confidence,
    type as evidence
from types
union all
select
    commit_sha,
    category,
    'model' as method,
    confidence,
    evidence
from messages
