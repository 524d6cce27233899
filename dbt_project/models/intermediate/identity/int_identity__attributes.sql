with said as (
    {{ said_of_developers() | indent(4) }}
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
