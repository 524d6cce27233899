with source as (
    select * from {{ source('git', 'mailmap_entries') }}
),

renamed as (
    select
        repository_id,
        {{ compared_address('commit_address') }} as commit_address,
        {{ compared_name('commit_name') }} as commit_name,
        nullif({{ compared_address('proper_address') }}, '') as proper_address
    from source
)

select * from renamed
