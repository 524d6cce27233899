-- Of what was said about people who turned out to be one, that under the id which the developer has now holds, else that
-- under the smallest. The three dates go together, or the order between them could be lost.

with attributes as (
    select
        *,
        case
            when attribute in ('joining_date', 'probation_end_date', 'leaving_date') then 'dates'
            else attribute
        end as topic
    from {{ ref('stg_control__developer_attributes') }}
),

known as (
    select * from {{ ref('int_identity__known_ids') }}
),

said as (
    select
        known.developer_id,
        attributes.attribute,
        attributes.value,
        dense_rank() over (
            partition by known.developer_id, attributes.topic
            order by case when known.known_developer_id = known.developer_id then 0 else 1 end, known.known_developer_id
        ) as place
    from attributes
    inner join known on attributes.developer_id = known.known_developer_id
)

select
    developer_id,
    max(case when attribute = 'name' then value end) as name,
    max(case when attribute = 'primary_email' then value end) as primary_email,
    max(case when attribute = 'role' then value end) as role,
    max(case when attribute = 'seniority' then value end) as seniority,
    cast(max(case when attribute = 'joining_date' then value end) as date) as joined_on,
    cast(max(case when attribute = 'probation_end_date' then value end) as date) as probation_ends_on,
    cast(max(case when attribute = 'leaving_date' then value end) as date) as left_on,
    max(case when attribute = 'avatar_url' then value end) as avatar_url,
    max(case when attribute = 'kind' then value end) as kind
from said
where place = 1
group by developer_id
