with source as (
    select * from {{ source('git', 'file_changes') }}
),

renamed as (
    select
        repository_id,
        commit_sha,
        path,
        previous_path,
        status,
        new_blob,
        language,
        role,
        is_binary,
        is_generated,
        is_vendored,
        is_minified,
        machine_evidence,
        lines_added,
        lines_deleted,
        code_added,
        code_deleted,
        comment_added,
        comment_deleted
    from source
)

select * from renamed
