with source as (
    select * from {{ source('control', 'capex_rules') }}
),

renamed as (
    select
        policy_version,
        version_number,
        valid_from,
        category,
        commit_category,
        repository_id,
        issue_type,
        objective_id
    from source
)

select * from renamed
