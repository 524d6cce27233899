with {{ newest_pull_requests(['commits']) }},

commits as (
    select
        pull_request_id,
        host,
        repository_id,
        {{ each_numbered('commits', 'source_number', 'source') }}
    from pull_requests
),

-- Git's subject: the first paragraph on one line.
messages as (
    select
        *,
        {{ replaced("coalesce(source.message, '')", pattern_text('^\\s+|\\s+$'), "''") }} as message
    from commits
),

subjects as (
    select
        *,
        {{ first_match('message', pattern_text('^[^\\n]+(?:\\n[ \\t\\r]*[^ \\t\\r\\n][^\\n]*)*')) }} as first_paragraph
    from messages
)

select
    pull_request_id,
    host,
    repository_id,
    source_number,
    source.sha as source_sha,
    trim(coalesce(source.author_name, '')) as author_name,
    {{ compared_address("coalesce(source.author_email, '')") }} as author_address,
    {{ compared_account('source.author_login') }} as author_login,
    source.authored_at as authored_at,
    source.committed_at as committed_at,
    {{ replaced('trim(first_paragraph)', pattern_text('[ \\t\\r]*\\n[ \\t\\r]*'), "' '") }} as subject,
    substr(message, length(first_paragraph) + 1) as body
from subjects
