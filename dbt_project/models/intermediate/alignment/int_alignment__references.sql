-- References that can name an issue. In code, #333 is a color, and data quote the issues of others: a recorded answer of
-- a tracker has hundreds.

with references_found as (
    select * from {{ ref('stg_git__references') }}
    where shape <> 'sha'
),

code_files as (
    select
        repository_id,
        commit_sha,
        path
    from {{ ref('stg_git__file_changes') }}
    where
        role in ('{{ var("reference_roles") | join("', '") }}')
        and language not in ('{{ var("reference_data_languages") | join("', '") }}')
        and not is_generated
        and not is_vendored
        and not is_minified
),

in_texts as (
    select
        repository_id,
        commit_sha,
        found_in,
        shape,
        target
    from references_found
    where found_in <> 'code'
),

in_code as (
    select
        references_found.repository_id,
        references_found.commit_sha,
        references_found.found_in,
        references_found.shape,
        references_found.target
    from references_found
    inner join code_files
        on
            references_found.repository_id = code_files.repository_id
            and references_found.commit_sha = code_files.commit_sha
            and references_found.path = code_files.path
    where references_found.found_in = 'code' and references_found.shape <> 'number'
)

select * from in_texts
union all
select * from in_code
