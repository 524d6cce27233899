with links as (
    select * from {{ ref('api_v1__commit_issues') }}
),

commits as (
    select
        commit_id,
        position
    from {{ ref('api_v1__commits') }}
)

select
    links.*,
    commits.position as commit_position
from links
left join commits on links.commit_id = commits.commit_id
order by links.commit_id, links.place
