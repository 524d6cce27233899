with source as (
    select * from {{ source('control', 'organizations') }}
),

renamed as (
    select
        organization_id,
        name,
        slug,
        time_zone,
        work_category_grouping,
        working_weekdays,
        hours_per_day_hundredths,
        is_commit_limited,
        analysis_paused_by,
        analysis_paused_since,
        renews_on
    from source
)

select * from renamed
