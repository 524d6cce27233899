with reviews as (
    select * from {{ ref('fct_reviews') }}
),

developers as (
    select * from {{ ref('dim_developers') }}
)

select
    reviews.*,
    developers.name as developer_name
from reviews
left join developers on reviews.developer_id = developers.developer_id
