with source as (
    select * from {{ source('git', 'commits') }}
),

renamed as (
    select
        repository_id,
        commit_id,
        commit_sha,
        parent_shas,
        is_merge,
        author_name,
        author_email,
        authored_at,
        committer_email,
        committed_at,
        subject,
        body,
        trailers,
        files_changed,
        lines_added,
        lines_deleted
    from source
)

select * from renamed
