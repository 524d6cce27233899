with developers as (
    select * from {{ ref('api_v1__developers') }}
),

ids as (
    select
        unnest(list_append(known_ids, developer_id)) as known_id,
        developer_id
    from developers
)

select distinct
    known_id,
    developer_id
from ids
order by known_id
