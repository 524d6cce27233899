with facts as (
    select * from {{ ref('fct_pull_requests') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

developers as (
    select * from {{ ref('dim_developers') }}
)

select
    facts.*,
    repositories.name as repository_name,
    developers.name as developer_name,
    '{{ var("calculation_version") }}' as calculation_version
from facts
inner join repositories on facts.repository_id = repositories.repository_id
left join developers on facts.developer_id = developers.developer_id
