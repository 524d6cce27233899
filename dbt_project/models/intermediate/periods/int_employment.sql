-- Employed from first to last delivery: delivering in bursts earns nothing extra. Joining and leaving dates are not known
-- yet.

with daily as (
    select * from {{ ref('fct_daily') }}
    where not is_bot
),

repositories as (
    select
        'repository' as entity_kind,
        repository_id as entity_id,
        developer_id,
        min(delivered_on) as first_on,
        max(delivered_on) as last_on
    from daily
    group by repository_id, developer_id
),

developers as (
    select
        'developer' as entity_kind,
        developer_id as entity_id,
        developer_id,
        min(delivered_on) as first_on,
        max(delivered_on) as last_on
    from daily
    where not is_sandbox
    group by developer_id
),

organization as (
    select
        'organization' as entity_kind,
        '{{ var("organization_id") }}' as entity_id,
        developer_id,
        first_on,
        last_on
    from developers
)

select * from repositories
union all
select * from developers
union all
select * from organization
