-- The repository that a session names, where it is one of the organization. A session of two repositories has neither.

with requests as (
    select
        tool,
        session_id,
        lower(repository_ref) as address
    from {{ ref('stg_telemetry__requests') }}
    where session_id is not null and repository_ref is not null
),

-- Addresses of HTTPS, of SSH with its port, and of the short form `host:owner/name`, all in the form of an origin.
addressed as (
    select distinct
        tool,
        session_id,
        {{ replaced(
            "replace(" ~ replaced(
                replaced('address', pattern_text('^[a-z0-9+]+:/+'), "''"), pattern_text(':[0-9]+/'), "'/'"
            ) ~ ", ':', '/')",
            pattern_text('([.]git)?/*$'), "''"
        ) }} as origin
    from requests
),

repositories as (
    select
        repository_id,
        lower(origin) as origin
    from {{ ref('int_repositories') }}
)

select
    addressed.tool,
    addressed.session_id,
    min(repositories.repository_id) as repository_id
from addressed
inner join repositories on addressed.origin = repositories.origin
group by addressed.tool, addressed.session_id
having count(distinct repositories.repository_id) = 1
