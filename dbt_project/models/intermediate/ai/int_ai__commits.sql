with evidence as (
    select * from {{ ref('int_ai__evidence') }}
)

select
    commit_sha,
    {{ collected_distinct('tool') }} as ai_tools,
    bool_or(role in ('authored', 'assisted')) as is_ai_assisted
from evidence
group by commit_sha
