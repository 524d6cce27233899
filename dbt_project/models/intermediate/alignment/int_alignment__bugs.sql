with links as (
    select * from {{ ref('int_alignment__links') }}
),

items as (
    select * from {{ ref('int_alignment__items') }}
    where is_bug
)

select
    links.commit_sha,
    max(case when items.is_resolved_bug then 1 else 0 end) = 1 as is_resolved
from links
inner join items on links.item_id = items.item_id
group by links.commit_sha
