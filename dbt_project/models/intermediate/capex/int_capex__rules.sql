-- The policy of the service, and the versions that the organization has made.

with defaults as (
    select * from {{ ref('capex_policy') }}
),

own as (
    select * from {{ ref('stg_control__capex_rules') }}
)

select
    policy_version,
    0 as version_number,
    cast(valid_from as date) as valid_from,
    category,
    commit_category,
    cast(null as {{ dbt.type_string() }}) as repository_id,
    cast(null as {{ dbt.type_string() }}) as issue_type,
    cast(null as {{ dbt.type_string() }}) as objective_id
from defaults
union all
select
    policy_version,
    version_number,
    valid_from,
    category,
    commit_category,
    repository_id,
    issue_type,
    objective_id
from own
