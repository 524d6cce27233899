{{ config(post_hook=create_empty_tables()) }}

{{ contracted('organizations') }}
select
    organization_id,
    name,
    slug,
    time_zone,
    work_category_grouping,
    as_of,
    '{{ var("calculation_version") }}' as calculation_version,
    date_trunc('week', local_date)::date - 7 as last_complete_week_start,
    (date_trunc('month', local_date) - interval 1 month)::date as last_complete_month_start,
    waiting_commits,
    local_date,
    renews_on
from (
    select
        *,
        {{ as_of() }} as as_of,
        ({{ as_of() }} at time zone time_zone)::date as local_date
    from {{ source('control', 'organizations') }}
)
cross join (
    select count(*) as waiting_commits from {{ ref('fct_commits') }} where zero_reason = 'WAITING'
)
