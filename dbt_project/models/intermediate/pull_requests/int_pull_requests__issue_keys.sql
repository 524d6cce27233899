-- Keys of issues in the title, the description and the branch of a pull request, and the issues that the provider links.
-- Whether an issue of this name exists is decided elsewhere.

with pull_requests as (
    select * from {{ ref('stg_hosts__pull_requests') }}
),

commits as (
    select * from {{ ref('int_pull_requests__commits') }}
),

linked as (
    select
        pull_request_id,
        {{ each('linked_issues') }} as key
    from pull_requests
),

words as (
    select
        pull_request_id,
        {{ each(words_of(replaced(
            "concat(title, ' ', body, ' ', replace(source_branch, '/', ' '))",
            pattern_text('[^A-Za-z0-9_#/-]+'), "' '"
        ))) }} as word
    from pull_requests
),

written as (
    select
        pull_request_id,
        upper({{ first_match('word', pattern_text('^[A-Za-z][A-Za-z0-9_]+-[0-9]+')) }}) as key
    from words
    union all
    select
        pull_request_id,
        {{ first_match('word', pattern_text('^(?:[A-Za-z0-9_-]+/[A-Za-z0-9_-]+)?#[0-9]+$')) }} as key
    from words
),

every as (
    select * from linked
    union all
    select * from written
)

select distinct
    every.pull_request_id,
    commits.commit_sha,
    commits.repository_id,
    every.key
from every
inner join commits on every.pull_request_id = commits.pull_request_id
where every.key <> ''
