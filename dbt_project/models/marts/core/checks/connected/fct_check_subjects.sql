select
    'pull_request' as subject_type,
    pull_request_id as subject_id,
    title,
    concat('#', cast(number as {{ dbt.type_string() }})) as reference,
    url,
    cast(null as {{ dbt.type_string() }}) as team_id
from {{ ref('int_pull_requests') }}
union all
select
    case level when 'issue' then 'issue' else 'objective' end as subject_type,
    item_id as subject_id,
    title,
    key as reference,
    url,
    team_id
from {{ ref('int_alignment__items') }}
where level in ('objective', 'sub_objective', 'issue')
